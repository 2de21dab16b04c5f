import { type MigrationSource } from '../api.js';
import type {
  SourceComment,
  SourceIssue,
  SourceLabel,
  SourceMilestone,
  SourcePullRequest,
  SourceRepository,
  SourceUser,
} from '../contract/records.js';
import type { SourceOptions, SourcePages, SourceReader, SourceSubject } from '../contract/source.js';
import { t } from '../texts/index.js';
import {
  CodebaseApi,
  childrenOf,
  codebaseAddress,
  dateOf,
  integerOf,
  isTrue,
  valueOf,
  type CodebaseAddress,
} from './codebase-api.js';
import { recordOf, type Answered } from './gitea-api.js';
import { each } from './linked-pages.js';
import { pullOffsetOf, withoutNewer } from './pull-offset.js';

const mergesPerPage = 50;
const maxHeads = 1000;

class CodebaseReader implements SourceReader {
  readonly #tickets: string;
  readonly #repo: string;
  readonly #heads = new Map<string, Promise<string>>();
  #users: Promise<ReadonlyMap<number, SourceUser>> | undefined;

  constructor(
    private readonly api: CodebaseApi,
    private readonly record: unknown,
    private readonly cloneUrl: string,
    /** Merge requests have ids of the whole account: here they stand behind the tickets. */
    private readonly pullOffset: number,
    private readonly address: CodebaseAddress,
    private readonly options: SourceOptions,
  ) {
    this.#tickets = `/${encodeURIComponent(address.project)}/tickets`;
    this.#repo = `/${encodeURIComponent(address.project)}/${encodeURIComponent(address.name)}`;
  }

  repository(): Promise<SourceRepository> {
    const record = recordOf(this.record);
    return Promise.resolve({
      name: valueOf(record.name) || this.address.name,
      description: valueOf(record.description),
      isPrivate: true,
      defaultBranch: '',
      topics: [],
      cloneUrl: this.cloneUrl,
    });
  }

  async *milestones(): SourcePages<SourceMilestone> {
    const root = await this.api.get(`/${encodeURIComponent(this.address.project)}/milestones`, [404]);
    yield {
      items: childrenOf(root, 'ticketing-milestone').map((one) => ({
        title: valueOf(one.name),
        description: valueOf(one.description),
        isClosed: valueOf(one.status) !== 'active',
        dueAt: dateOf(one.deadline),
      })),
    };
  }

  async *labels(): SourcePages<SourceLabel> {
    const root = await this.api.get(`${this.#tickets}/types`, [404]);
    yield {
      items: childrenOf(root, 'ticketing-type').map((one) => ({
        name: valueOf(one.name),
        color: 'cccccc',
        description: '',
      })),
    };
  }

  issues = (after?: string): SourcePages<SourceIssue> =>
    withoutNewer(this.options, this.pullOffset, this.#allIssues(after));

  async *#allIssues(after?: string): SourcePages<SourceIssue> {
    for await (const { items, next } of ticketPages(this.api, this.#tickets, after))
      yield { items: await each(items, this.#issue), ...(next !== undefined && { next }) };
  }

  async *pullRequests(after?: string): SourcePages<SourcePullRequest> {
    for (let offset = Number(after ?? 0); ; offset += mergesPerPage) {
      const query = new URLSearchParams({
        query: `"Target Project" is "${this.address.name.replaceAll('"', '')}"`,
        offset: String(offset),
        count: String(mergesPerPage),
      });
      const list = childrenOf(await this.api.get(`${this.#repo}/merge_requests?${query}`, [404]), 'merge-request');
      const hasMore = list.length >= mergesPerPage;
      yield { items: await each(list, this.#pull), ...(hasMore && { next: String(offset + mergesPerPage) }) };
      if (!hasMore) return;
    }
  }

  /** The first of them is the text of the issue or the merge request. */
  async *commentsOf({ number, isPull }: SourceSubject): SourcePages<SourceComment> {
    const notes = isPull ? commentsIn(await this.#merge(number - this.pullOffset)) : await this.#notes(number);
    yield {
      items: await each(notes.slice(1), async (one) => ({
        id: `${isPull ? 'merge' : 'ticket'}-${integerOf(one.id)}`,
        issue: number,
        body: valueOf(one.content),
        author: await this.#user(one['user-id']),
        reactions: [],
        createdAt: dateOf(one['created-at']),
        updatedAt: dateOf(one['updated-at']),
      })),
    };
  }

  #issue = async (one: Answered): Promise<SourceIssue> => {
    const number = integerOf(one['ticket-id']);
    const [first] = await this.#notes(number);
    const { type, milestone, status, assignee } = one;
    const [typeName, milestoneName] = [nameIn(type) || valueOf(one['ticket-type']), nameIn(milestone)];
    return {
      number,
      title: valueOf(one.summary),
      body: valueOf(first?.content),
      author: await this.#user(one['reporter-id'], valueOf(one.reporter)),
      isClosed: isTrue(recordOf(status)['treat-as-closed']),
      isLocked: false,
      labels: typeName ? [typeName] : [],
      ...(milestoneName && { milestone: milestoneName }),
      assignees: valueOf(assignee) ? [await this.#user(one['assignee-id'], valueOf(assignee))] : [],
      reactions: [],
      createdAt: dateOf(one['created-at']),
      updatedAt: dateOf(one['updated-at']),
    };
  };

  #pull = async ({ id }: Answered): Promise<SourcePullRequest> => {
    const number = integerOf(id);
    const merge = await this.#merge(number);
    const merged = childrenOf(merge.comments, 'comment').find(
      ({ content, action }) => !valueOf(content) && valueOf(action) === 'merging',
    );
    const [source, target] = [valueOf(merge['source-ref']), valueOf(merge['target-ref'])];
    const isClosed = valueOf(merge.status) !== 'new';
    return {
      number: number + this.pullOffset,
      title: valueOf(merge.subject),
      body: valueOf(commentsIn(merge)[0]?.content),
      author: await this.#user(merge['user-id']),
      isClosed,
      isLocked: false,
      labels: [],
      assignees: [],
      reactions: [],
      head: { branch: source, commit: await this.#head(source) },
      base: { branch: target, commit: await this.#head(target) },
      isMerged: merged !== undefined,
      ...(merged && { mergedAt: dateOf(merged['created-at']), merger: await this.#user(merged['user-id']) }),
      createdAt: dateOf(merge['created-at']),
      updatedAt: dateOf(merge['updated-at']),
      ...(isClosed && { closedAt: dateOf(merge['updated-at']) }),
    };
  };

  async #merge(id: number): Promise<Answered> {
    return recordOf(await this.api.get(`${this.#repo}/merge_requests/${id}`, [404]));
  }

  /** Those with a text, oldest first. */
  async #notes(ticket: number): Promise<Answered[]> {
    const root = await this.api.get(`${this.#tickets}/${ticket}/notes`, [404]);
    return notesWithText(childrenOf(root, 'ticket-note'));
  }

  /** The present commit of a branch; empty where it is gone. */
  #head(branch: string): Promise<string> {
    if (!branch) return Promise.resolve('');
    if (this.#heads.size > maxHeads) this.#heads.clear();
    const known = this.#heads.get(branch) ?? this.#readHead(branch);
    this.#heads.set(branch, known);
    return known;
  }

  async #readHead(branch: string): Promise<string> {
    const root = await this.api.get(`${this.#repo}/commits/${encodeURIComponent(branch)}`, [404]);
    return valueOf(childrenOf(root, 'commit')[0]?.ref);
  }

  async #user(element: unknown, name = ''): Promise<SourceUser> {
    const id = integerOf(element);
    this.#users ??= this.#readUsers();
    return (await this.#users).get(id) ?? { id, name: name || (id ? `User ${id}` : 'Ghost') };
  }

  /** All of the account; those who may not read the list get numbers in place of names. */
  async #readUsers(): Promise<ReadonlyMap<number, SourceUser>> {
    const users = childrenOf(await this.api.get('/users', [401, 403, 404]), 'user');
    return new Map(
      users.map((one) => {
        const [id, email] = [integerOf(one.id), valueOf(one['email-address'])];
        return [id, { id, name: valueOf(one.username) || `User ${id}`, ...(email && { email }) }];
      }),
    );
  }
}

const nameIn = (element: unknown): string => valueOf(recordOf(element).name);

const notesWithText = (notes: readonly Answered[]): Answered[] =>
  notes.filter(({ content }) => valueOf(content)).sort((one, other) => integerOf(one.id) - integerOf(other.id));

const commentsIn = ({ comments }: Answered): Answered[] => notesWithText(childrenOf(comments, 'comment'));

/** Pages of tickets by their number, up to one that is empty, not there, or the one before again. */
async function* ticketPages(api: CodebaseApi, path: string, after?: string): SourcePages<Answered> {
  let previous = 0;
  for (let page = Number(after ?? 1); ; page++) {
    const query = new URLSearchParams({ query: 'sort:id order:asc', page: String(page) });
    const tickets = childrenOf(await api.get(`${path}?${query}`, [404]), 'ticket');
    const first = integerOf(tickets[0]?.['ticket-id']);
    if (tickets.length === 0 || first === previous) break;
    previous = first;
    yield { items: tickets, next: String(page + 1) };
  }
  yield { items: [] };
}

export const codebaseSource: MigrationSource = {
  key: 'codebase',
  label: t.later('codebase.label'),
  description: t.later('codebase.description'),
  icon: 'repo',
  order: 80,
  addressPlaceholder: 'https://my.codebasehq.com/project/name.git',
  fields: [
    { name: 'auth_username', label: t.later('field.username'), required: true },
    { name: 'auth_password', label: t.later('codebase.key'), help: t.later('codebase.keyNote'), type: 'password' },
  ],
  kinds: ['labels', 'milestones', 'issues', 'pull_requests'],
  async connect(options, tools) {
    const address = codebaseAddress(options.address);
    const api = new CodebaseApi(tools, address, options);
    const project = `/${encodeURIComponent(address.project)}`;
    const record = await api.get(`${project}/${encodeURIComponent(address.name)}`);
    const offset = await pullOffsetOf(options, tools, async function* () {
      for await (const page of ticketPages(api, `${project}/tickets`))
        yield { ...page, items: page.items.map((one) => integerOf(one['ticket-id'])) };
    });
    return new CodebaseReader(api, record, options.address, offset, address, options);
  },
};
