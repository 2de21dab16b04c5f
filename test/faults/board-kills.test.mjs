// Database: SQLite and MariaDB. What is shown is that a move on a board happens whole or not at all.
// The server is killed (SIGKILL to its whole group) at random moments while cards move: on one board one after the other,
// whose order is known exactly, and on another one by several people at once.
// Time: about 60 s
// Load: sleeps
//
//   MORTISE_TEST_FULL=1   30 kills instead of 3
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const kills = process.env.MORTISE_TEST_FULL ? 30 : 3;
const cards = 24;
const movers = 3;
/** A seeded generator, so that a failing run can be repeated with the same kill moments. */
const seed = Number(process.env.MORTISE_FAULT_SEED ?? Date.now() % 100_000);
let state = seed;
const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
const below = (count) => Math.floor(random() * count);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The columns after a move: the card stands behind `sorting` of the others. */
const moved = (columns, { issue, column, sorting }) => {
  const without = Object.fromEntries(
    Object.entries(columns).map(([id, issues]) => [id, issues.filter((one) => one !== issue)]),
  );
  return { ...without, [column]: without[column].toSpliced(sorting, 0, issue) };
};

describe(`a server killed while cards move on boards (seed ${seed})`, { timeout: 1_800_000 }, () => {
  let server;
  let issues;
  before(async () => {
    server = await startServer();
    await ok('POST', '/user/repos', { name: 'desk' });
    issues = [];
    for (let n = 0; n < cards; n++)
      issues.push((await ok('POST', '/repos/root/desk/issues', { title: `card ${n}` })).id);
  });
  after(() => server?.close());

  const ok = async (method, path, body) => {
    const answer = await server.api(method, path, { body });
    expect(answer.status, `${method} ${path}: ${answer.text}`).to.be.within(200, 204);
    return answer.json;
  };
  const makeBoard = async () => {
    const { id } = await ok('POST', '/repos/root/desk/projects', { title: 'Sprint', template_type: 'basic_kanban' });
    const board = `/repos/root/desk/projects/${id}`;
    const columns = (await ok('GET', `${board}/columns`)).map((column) => column.id);
    for (const issue of issues) await ok('POST', `${board}/columns/${columns[0]}/issues/${issue}`);
    return { board, columns };
  };
  const read = async ({ board, columns }) => {
    const found = {};
    for (const column of columns)
      found[column] = (await ok('GET', `${board}/columns/${column}/issues?limit=50`)).map(({ id }) => id);
    return found;
  };
  const randomMove = ({ columns }, known) => {
    const issue = issues[below(issues.length)];
    const column = columns[below(columns.length)];
    return { issue, column, sorting: below(known[column].filter((one) => one !== issue).length + 1) };
  };
  /** False: the server died before it answered. */
  const move = async ({ board }, { issue, column, sorting }) => {
    const body = { column_id: column, sorting };
    const answer = await server.api('POST', `${board}/issues/${issue}/move`, { body }).catch(() => undefined);
    if (answer) expect(answer.status, answer.text).to.equal(204);
    return Boolean(answer);
  };

  it(`PRJ-06: keeps the order of every column and loses no card over ${kills} kills`, async () => {
    const single = await makeBoard();
    const shared = await makeBoard();
    let known = await read(single);
    let answered = 0;
    for (let round = 0; round < kills; round++) {
      let isAlive = true;
      let pending;
      const alone = async () => {
        while (isAlive) {
          pending = randomMove(single, known);
          if (!(await move(single, pending))) return;
          known = moved(known, pending);
          pending = undefined;
          answered++;
        }
      };
      const together = async () => {
        const anywhere = Object.fromEntries(shared.columns.map((column) => [column, issues]));
        while (isAlive) if (!(await move(shared, randomMove(shared, anywhere)))) return;
      };
      const running = [alone(), ...Array.from({ length: movers }, together)];
      await pause(300 + below(700));
      isAlive = false;
      const death = server.kill();
      await Promise.all([death, ...running]);
      await server.start();
      const found = await read(single);
      const possible = [known, ...(pending ? [moved(known, pending)] : [])];
      expect(
        possible.map((one) => JSON.stringify(one)),
        `after kill ${round + 1}`,
      ).to.include(JSON.stringify(found));
      known = found;
      const all = Object.values(await read(shared)).flat();
      expect(
        all.toSorted((one, other) => one - other),
        `after kill ${round + 1}`,
      ).to.equal(issues);
    }
    expect(answered).to.be.above(kills);
    const doctor = server.cli('doctor');
    expect(doctor.out.match(/^.*project boards were looked at.*$/m)?.[0], doctor.out).to.include('2 project boards');
    expect(doctor.out).to.not.match(/ (?:cards|boards|columns) (?:belong|stand|have)/);
  });
});
