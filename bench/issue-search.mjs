// How long searches for words take among 1,000, 10,000 and 100,000 issues of one repository: node bench/issue-search.mjs
import { startHost } from '@mortise/plugin-sdk/testing';
import { database } from '@mortise/plugin-sdk';
import { signUp } from '@mortise/accounts/testing';
import { createRepository } from '@mortise/repositories/testing';
import { searchIndex } from '@mortise/search/api';

const sizes = (process.argv[2] ?? '1000,10000,100000').split(',').map(Number);
const words = Array.from({ length: 20_000 }, (_, at) => `word${((at * 7919) % 20_000).toString(36)}`);
const host = await startHost({ plugins: ['issues'] });
try {
  const ada = await signUp(host, 'ada');
  const repository = await createRepository(host, ada.account, 'desk');
  const data = host.services.get(database);
  const index = host.services.get(searchIndex);
  let last = 0;
  for (const size of sizes) {
    const start = Date.now();
    const added = size - last;
    while (last < size) {
      const numbers = Array.from({ length: Math.min(500, size - last) }, (_, at) => last + at + 1);
      last += numbers.length;
      await data.write(async () => {
        const bodies = numbers.map((number) => {
          const own = Array.from({ length: 40 }, (_, at) => words[(number * 31 + at * 977) % words.length]);
          return `everywhere ${number % 10 ? '' : 'tenth '}${number % 20_000 === 77 ? 'needle ' : ''}${own.join(' ')}`;
        });
        await data
          .knex()('issue')
          .insert(
            numbers.map((number, at) => ({
              id: number,
              repository_id: repository.id,
              number,
              is_pull: false,
              poster_id: ada.account.id,
              title: `Issue ${number}`,
              body: bodies[at],
              is_closed: false,
              created_at: 1_700_000_000_000 + number,
              updated_at: 1_700_000_000_000 + number,
            })),
          );
        await index.put(
          numbers.map((number, at) => ({
            kind: 'issue',
            id: number,
            repositoryId: repository.id,
            family: 'issue',
            subjectId: number,
            title: `Issue ${number}`,
            body: bodies[at],
          })),
        );
      });
    }
    console.log(`${size} issues; each took ${((Date.now() - start) / added).toFixed(2)} ms to write`);
    for (const text of ['needle', words[77], 'tenth', 'everywhere', 'issue everywhere tenth', 'e', 'zeppelin']) {
      const times = [];
      let total;
      for (let turn = 0; turn < 9; turn++) {
        const begin = performance.now();
        const answer = await ada.inject(`/api/v1/repos/ada/desk/issues?q=${encodeURIComponent(text)}&limit=30`);
        times.push(performance.now() - begin);
        total = answer.headers['x-total-count'];
      }
      const median = times.sort((one, other) => one - other)[4];
      console.log(`  ${text.padEnd(24)} ${String(total).padStart(6)} found  ${median.toFixed(1).padStart(7)} ms`);
    }
  }
} finally {
  await host.close();
}
