#!/usr/bin/env node
// Measures a project board with many cards: how long its page takes to come, and a move of a card.
//
//   node bench/boards.mjs [--cards 2000] [--times 20] [--mysql ADDRESS]
//
// Goal: the page of 2,000 cards in 300 ms; a move takes ten statements however many cards there are, which
// test/requirements/board-statements counts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { each, insert } from './data.mjs';
import { median, openDatabase, timesOf } from './growth.mjs';
import { authorization, makeSite } from './site.mjs';

const { values: options } = parseArgs({
  options: {
    cards: { type: 'string', default: '2000' },
    times: { type: 'string', default: '20' },
    mysql: { type: 'string', default: process.env.MORTISE_TEST_MYSQL },
  },
});
const [cards, times] = [Number(options.cards), Number(options.times)];
const desk = '/repos/root/desk';

/** Written past the stopped server. */
async function fill(knex, { repositoryId, ownerId, boardId, columnIds }) {
  const now = Date.now();
  const at = (n) => now - (cards - n) * 60_000;
  const issues = each(cards, (n) => ({
    id: n + 1,
    repository_id: repositoryId,
    number: n + 1,
    is_pull: false,
    poster_id: ownerId,
    title: `Number ${n} of the desk`,
    body: '',
    is_closed: false,
    created_at: at(n),
    updated_at: at(n),
    closed_at: 0,
  }));
  await insert(knex, 'issue', issues);
  await knex('issue_number').where({ repository_id: repositoryId }).delete();
  await knex('issue_number').insert({ repository_id: repositoryId, last: cards });
  const rows = each(cards, (n) => ({
    id: n + 1,
    project_id: boardId,
    column_id: columnIds[n % columnIds.length],
    issue_id: n + 1,
    position: (n + 1) * 65_536,
    is_archived: false,
    creator_id: ownerId,
    created_at: at(n),
    updated_at: at(n),
  }));
  await insert(knex, 'project_card', rows);
}

/** The first, the middle one and the worst. */
const shown = (all) => [all[0], median(all), Math.max(...all)].map((value) => `${Math.round(value)} ms`).join(' / ');

async function measure(engine, mysql) {
  const work = mkdtempSync(join(tmpdir(), 'mortise-bench-'));
  const site = await makeSite({ work, port: 4600 + (process.pid % 300), mysql });
  try {
    await site.start();
    const { id: repositoryId, owner } = await site.api('POST', '/user/repos', { name: 'desk' });
    const board = await site.api('POST', `${desk}/projects`, { title: 'Sprint', template_type: 'basic_kanban' });
    const columnIds = (await site.api('GET', `${desk}/projects/${board.id}/columns`)).map(({ id }) => id);
    await site.stop();
    const knex = openDatabase(site, mysql);
    await fill(knex, { repositoryId, ownerId: owner.id, boardId: board.id, columnIds });
    await knex.destroy();
    await site.start();
    let bytes = 0;
    const open = async () => {
      const answer = await fetch(`${site.base}/root/desk/projects/${board.id}`);
      if (!answer.ok) throw new Error(`the page answers ${answer.status}`);
      bytes = (await answer.arrayBuffer()).byteLength;
    };
    const moveCard = async (n) => {
      const answer = await fetch(`${site.base}/api/v1${desk}/projects/${board.id}/issues/${(n % cards) + 1}/move`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ column_id: columnIds[n % columnIds.length], sorting: 0 }),
      });
      if (!answer.ok) throw new Error(`a move answers ${answer.status}`);
      await answer.arrayBuffer();
    };
    const page = await timesOf(times, open);
    const move = await timesOf(times, moveCard);
    const pageAfterMove = [];
    for (let n = 0; n < times; n++) {
      await moveCard(n);
      pageAfterMove.push(...(await timesOf(1, open)));
    }
    const size = `${Math.round(bytes / 1024)} KB`;
    console.log(`| ${[engine, cards, shown(page), shown(pageAfterMove), size, shown(move)].join(' | ')} |`);
  } finally {
    await site.close();
    rmSync(work, { recursive: true, force: true });
  }
}

console.log('| database | cards | page: first / median / worst | after a move | size | move: first / median / worst |');
console.log('|---|---|---|---|---|---|');
await measure('SQLite');
if (options.mysql) await measure('MariaDB', options.mysql);
