// The repository and the rows that speed is judged by.
import { each } from './data.mjs';

const big = '/repos/root/big';
export const issues = 370;
export const pulls = 30;
/** A name, the path, the least share of the yardstick in percent, and what is posted. */
export const rowsOf = ({ issue, pull }) => [
  ['version', '/api/v1/version', 110],
  ['repo get', `/api/v1${big}`, 80],
  ['user get', '/api/v1/users/root', 100],
  ['labels', `/api/v1${big}/labels`, 80],
  ['repo search', '/api/v1/repos/search?q=big', 60],
  ['repositories of a user', '/api/v1/users/root/repos', 50],
  ['explore (page)', '/explore/repos', 20],
  ['issue search, one word', `/api/v1${big}/issues?q=needle&limit=20`, 10],
  ['issue timeline', `/api/v1${big}/issues/${issue}/timeline`, 10],
  ['pull list 20', `/api/v1${big}/pulls?limit=20`, 20],
  ['pull get', `/api/v1${big}/pulls/${pull}`, 40],
  ['page of an issue, 10 comments', `/root/big/issues/${issue}`, 4],
  ['page of a pull request', `/root/big/pulls/${pull}`, 5],
  ['commit list (page)', '/root/big/commits/branch/main', 6],
  ['compare 200 commits', `/api/v1${big}/compare/older...main`, 10],
  ['create issue', '/api/v1/repos/root/small1/issues', 5, { title: 'One more', body: 'It squeaks.' }],
];

/** The repository with its issues and pull requests; gives what the rows need of them. */
export async function fill(site, source) {
  const token = await site.fill(source, 10);
  const labels = [];
  for (const n of each(20, Number))
    labels.push((await site.api('POST', `${big}/labels`, { name: `area/${n}`, color: '#00aabb' })).id);
  const body = `It **squeaks**.\n\n- [ ] oil\n- [x] look\n\n\`\`\`js\nturn();\n\`\`\`\n`;
  let issue;
  for (const n of each(issues, Number)) {
    const title = n % 20 === 7 ? `Number ${n} with the needle` : `Number ${n}`;
    const of = [labels[n % labels.length], labels[(n + 3) % labels.length]];
    issue = (await site.api('POST', `${big}/issues`, { title, body, labels: of })).number;
  }
  for (const n of each(10, Number))
    await site.api('POST', `${big}/issues/${issue}/comments`, { body: `Comment ${n}: ${body}` });
  let pull;
  for (const n of each(pulls, Number)) {
    const head = `topic-${n}`;
    const content = Buffer.from(`one\ntwo ${n}\n`).toString('base64');
    await site.api('POST', `${big}/contents/topic-${n}.txt`, { content, message: `Add ${n}`, new_branch: head });
    pull = (await site.api('POST', `${big}/pulls`, { head, base: 'main', title: `Pull ${n}`, body })).number;
  }
  return { token, issue, pull };
}
