import { readmeEnd, type Skeleton } from './common.js';

interface Names extends Pick<Skeleton, 'plugin' | 'className'> {
  readonly table: string;
  /** For references: `toyShelf`. */
  readonly ids: string;
}

const contract = ({
  className,
  ids,
}: Names): string => `import { defineEvent, defineService, type Actor } from '@mortise/plugin-sdk';

export interface Note {
  readonly id: number;
  readonly text: string;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
}

export interface ${className}Notes {
  list(actor: Actor, page: { limit: number; offset: number }): Promise<{ items: Note[]; total: number }>;
  /** Throws Invalid for an empty or a long text. */
  add(actor: Actor, text: string): Promise<Note>;
}

/** What other plugins may use of this one. */
export const ${ids}Notes = defineService<${className}Notes>('${ids}.notes');
export const noteAdded = defineEvent<{ noteId: number; userId: number }>('${ids}.noteAdded');
`;

const definition = ({
  plugin,
  className,
  ids,
}: Names): string => `import { database, definePlugin, fromPackage, events, navigation } from '@mortise/plugin-sdk';
import { ${ids}Notes, noteAdded } from './api.js';
import { noteRoutes } from './routes/notes.js';
import { NoteService } from './services/notes.js';
import { settingsSchema } from './settings.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [${ids}Notes, noteAdded],

  register(host) {
    const settings = host.settings('${plugin}', settingsSchema);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(${ids}Notes, { database, events }, (services) => new NoteService(services, settings.MAX_LENGTH));
    host.routes({ notes: ${ids}Notes }, noteRoutes);
    host.contribute(navigation, { key: '${plugin}', label: '${className}', href: '/${plugin}', order: 90, visible: (actor) => actor.kind === 'user' });
    host.on(noteAdded, 'after', 'log', {}, async ({ noteId, userId }) => host.log.info('a note was added', { noteId, userId }));
  },
});
`;

const settings = ({ plugin }: Names): string => `import { Joi } from '@mortise/plugin-sdk';

export interface Settings {
  MAX_LENGTH: number;
}

/** \`[${plugin}]\` */
export const settingsSchema = Joi.object<Settings, true>({
  MAX_LENGTH: Joi.number().integer().min(1).default(500).description('Longest note, in characters'),
});
`;

const migration = ({ table }: Names): string => `import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('${table}', (table) => {
    table.increments('id');
    table.integer('user_id').notNullable();
    table.text('text').notNullable();
    table.bigInteger('created_at').notNullable();
    table.index(['user_id', 'id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('${table}');
}
`;

const service = ({
  className,
  table,
}: Names): string => `import { BaseModel, Invalid, type Actor, type Database, type Events } from '@mortise/plugin-sdk';
import { noteAdded, type ${className}Notes, type Note } from '../api.js';

class NoteRow extends BaseModel {
  static override tableName = '${table}';
  declare id: number;
  declare user_id: number;
  declare text: string;
  declare created_at: number;
}

const asNote = (row: NoteRow): Note => ({ id: row.id, text: row.text, createdAt: Number(row.created_at) });

export class NoteService implements ${className}Notes {
  constructor(
    private readonly services: { database: Database; events: Events },
    private readonly maxLength: number,
  ) {}

  async list(actor: Actor, { limit, offset }: { limit: number; offset: number }): Promise<{ items: Note[]; total: number }> {
    const { database } = this.services;
    const rows = await database.query(NoteRow).where('user_id', actor.id).orderBy('id', 'desc').limit(limit).offset(offset);
    return { items: rows.map(asNote), total: await database.query(NoteRow).where('user_id', actor.id).resultSize() };
  }

  async add(actor: Actor, text: string): Promise<Note> {
    if (!text.trim()) throw Invalid('Enter a text.');
    if (text.length > this.maxLength) throw Invalid(\`A note can have at most \${this.maxLength} characters.\`);
    const { database, events } = this.services;
    return database.write(async () => {
      const row = await database.query(NoteRow).insertAndFetch({ user_id: actor.id, text, created_at: Date.now() });
      await events.emit(noteAdded, { noteId: row.id, userId: actor.id });
      return asNote(row);
    });
  }
}
`;

const page = ({ className }: Names): string => `import { Section } from '@mortise/plugin-sdk';
import type { Note } from '../api.js';

export const NotesPage = ({ notes }: { readonly notes: readonly Note[] }) => (
  <Section title="${className}" level={1}>
    {notes.length ? (
      <ul class="Box list-style-none">
        {notes.map((note) => (
          <li key={note.id} class="Box-row">
            {note.text}
          </li>
        ))}
      </ul>
    ) : (
      <p class="blankslate">No notes yet.</p>
    )}
  </Section>
);
`;

const routes = ({
  plugin,
  className,
  ids,
}: Names): string => `import { defineRoute, Joi, reply, webPage, type Route } from '@mortise/plugin-sdk';
import type { ${className}Notes, Note } from '../api.js';
import { NotesPage } from '../pages/notes.js';

const noteSchema = Joi.object({
  id: Joi.number().integer().required(),
  text: Joi.string().required(),
  created_at: Joi.string().isoDate().required(),
}).label('${className}Note');

const asJson = ({ id, text, createdAt }: Note) => ({ id, text, created_at: new Date(createdAt).toISOString() });

export const noteRoutes = ({ notes }: { notes: ${className}Notes }): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/v1/user/${plugin}',
    id: '${ids}List',
    summary: 'The notes of the signed-in user, newest first',
    tags: ['${plugin}'],
    access: { actor: 'user', scope: 'user' },
    responses: { 200: Joi.array().items(noteSchema) },
    async handler({ actor, page }) {
      const { items, total } = await notes.list(actor, page);
      return reply.list(items.map(asJson), total);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/v1/user/${plugin}',
    id: '${ids}Add',
    summary: 'Add a note',
    tags: ['${plugin}'],
    access: { actor: 'user', scope: 'user' },
    request: { payload: Joi.object<{ text: string }>({ text: Joi.string().allow('').required() }) },
    responses: { 201: noteSchema },
    handler: async ({ actor, payload }) => reply.created(asJson(await notes.add(actor, payload.text))),
  }),
  defineRoute({
    method: 'GET',
    path: '/${plugin}',
    access: { actor: 'user' },
    async handler({ actor }) {
      const { items } = await notes.list(actor, { limit: 20, offset: 0 });
      return webPage({ title: '${className}', active: '${plugin}', body: <NotesPage notes={items} /> });
    },
  }),
];
`;

const test = ({ plugin }: Names): string => `import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { makeUser, startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import plugin from '../plugin.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('${plugin}', () => {
  let host: TestHost;
  let ada: TestClient;

  before(async () => {
    host = await startHost({ plugins: [plugin], settings: { '${plugin}': { MAX_LENGTH: 20 } } });
    ada = host.as(await makeUser(host, 'ada'));
  });
  after(() => host.close());

  it('keeps notes of a user', async () => {
    const added = await ada.inject({ method: 'POST', url: '/api/v1/user/${plugin}', payload: { text: 'buy wood' } });
    expect(added.statusCode).to.equal(201);
    const list = await ada.inject('/api/v1/user/${plugin}');
    expect(list.json).to.have.length(1);
    expect(list.headers['x-total-count']).to.equal('1');
  });

  it('refuses notes that are too long', async () => {
    const answer = await ada.inject({ method: 'POST', url: '/api/v1/user/${plugin}', payload: { text: 'x'.repeat(21) } });
    expect(answer.statusCode).to.equal(422);
  });

  it('shows them on a page', async () => {
    expect((await ada.inject('/${plugin}')).payload).to.contain('buy wood');
  });

  it('shows nothing without signing in', async () => {
    expect((await host.inject('/api/v1/user/${plugin}')).statusCode).to.equal(401);
  });
});
`;

const readme = ({ plugin, ids }: Names): string => `# ${plugin}: a plugin for Mortise

Users keep short notes. Change it into what you need:

| it adds | |
|---|---|
| \`GET\`, \`POST /api/v1/user/${plugin}\` | list and add notes |
| \`/${plugin}\` | a page, and its item in the navigation |
| \`[${plugin}] MAX_LENGTH\` | longest note |
| \`${ids}.noteAdded\` | an event, in the transaction that adds a note |
${readmeEnd(plugin)}`;

/** A plugin with one of everything that most plugins have: setting, table, service, route, event, command. */
export function plainPluginFiles({ plugin, className }: Skeleton): Record<string, string> {
  const names = {
    plugin,
    className,
    table: `${plugin.replaceAll('-', '_')}_note`,
    ids: plugin.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
  };
  return {
    'api.ts': contract(names),
    'plugin.ts': definition(names),
    'settings.ts': settings(names),
    'migrations/0001_create_note.ts': migration(names),
    'services/notes.ts': service(names),
    'pages/notes.tsx': page(names),
    'routes/notes.tsx': routes(names),
    'test/notes.test.ts': test(names),
    'README.md': readme(names),
  };
}
