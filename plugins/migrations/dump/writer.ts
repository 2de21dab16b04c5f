import { createWriteStream } from 'node:fs';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SourceFailure, type SourcePages, type SourceReader, type SourceSubject } from '../contract/source.js';
import type { SourceComment, SourceRelease } from '../contract/records.js';
import { stringifyYaml } from './documents.js';
import { milestonesToDocument } from './milestones.js';
import { commentToRecord, issueToRecord, labelToRecord, pullToRecord, timeOut, type LabelRecord } from './records.js';
import { IssueNames } from './issue-names.js';
import { projectToRecords } from './project-records.js';
import { releaseToRecord, type AssetRecord, type RepositoryRecord } from './release-records.js';
import { reviewToRecord } from './review-records.js';
import type { DumpUnit } from './units.js';

/** Of one list; empty pages count as one. */
const maxRecords = 1_000_000;
/** Numbers of issues and pull requests, in memory while their comments are asked for. */
const maxSubjects = 1_000_000;

/** Bytes of a part of a path: file systems take 255, with what makes it differ from others. */
const maxNameBytes = 200;

/** Part of a path: no separators, and nothing that leads elsewhere. */
const plainName = (name: string): string => {
  const plain = name
    // oxlint-disable-next-line no-control-regex
    .replace(/[/\\\x00-\x1f]/g, '-')
    .replace(/^\.+/, (dots) => '_'.repeat(dots.length))
    .toWellFormed();
  const bytes = Buffer.from(plain);
  let end = Math.min(bytes.length, maxNameBytes);
  // not within a character
  while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end) || 'file';
};

/** The name, or one made of it that none of the others has; names may differ in case alone. Takes it. */
function freeName(name: string, taken: Set<string>, other: (number: number) => string): string {
  const keyOf = (one: string) => one.normalize().toLowerCase();
  let free = name;
  for (let number = 2; taken.has(keyOf(free)); number++) free = other(number);
  taken.add(keyOf(free));
  return free;
}

/** Writes what a source gives of a repository, beside its git folders. */
export class DumpWriter {
  readonly #subjects: SourceSubject[] = [];
  readonly #releaseFolders = new Set<string>();
  readonly #names = new IssueNames<LabelRecord>();

  constructor(
    private readonly folder: string,
    private readonly reader: SourceReader,
    private readonly units: ReadonlySet<DumpUnit>,
    private readonly signal: AbortSignal,
  ) {}

  async write(repository: RepositoryRecord, topics: readonly string[]): Promise<void> {
    const { reader } = this;
    await mkdir(this.folder, { recursive: true });
    await this.#document('repo.yml', repository);
    await this.#document('topic.yml', { topics });
    await this.#list('milestones', 'milestone.yml', reader.milestones?.(), (all) => {
      for (const { title, id } of all) this.#names.milestones.add(title, id, undefined);
      return milestonesToDocument(all);
    });
    await this.#list('labels', 'label.yml', reader.labels?.(), (all) => {
      const records = all.map(labelToRecord);
      for (const [at, record] of records.entries()) this.#names.labels.add(record.name, all[at]!.id, record);
      return records;
    });
    await this.#list('releases', 'release.yml', reader.releases?.(), async (all) => {
      const records = [];
      for (const release of all) records.push(releaseToRecord(release, await this.#assets(release)));
      return records;
    });
    await this.#list('issues', 'issue.yml', reader.issues?.(), (all) => {
      this.#note(all, false);
      return all.map((issue) => issueToRecord(issue, this.#names));
    });
    await this.#list('pull_requests', 'pull_request.yml', reader.pullRequests?.(), (all) => {
      this.#note(all, true);
      return all.map((pull) => pullToRecord(pull, this.#names));
    });
    // an addition of ours: no file where there are none
    await this.#list('projects', 'projects.yml', reader.projects?.(), (all) => all.flatMap(projectToRecords), false);
    if (!this.units.has('comments')) return;
    await this.#comments();
    await this.#reviews();
  }

  #note(all: readonly { readonly number: number }[], isPull: boolean): void {
    for (const { number } of all) this.#subjects.push({ number, isPull });
    if (this.#subjects.length > maxSubjects)
      throw new SourceFailure('invalidData', `The source has more than ${maxSubjects} issues.`);
  }

  async #comments(): Promise<void> {
    const { reader } = this;
    await mkdir(join(this.folder, 'comments'), { recursive: true });
    const dumpedNumbers = new Set(this.#subjects.map(({ number }) => number));
    const counts = new Map<number, number>();
    const take = async (pages: SourcePages<SourceComment>) => {
      for await (const items of this.#read(pages)) {
        const byIssue = new Map<number, unknown[]>();
        for (const comment of items) {
          if (!dumpedNumbers.has(comment.issue)) continue;
          const index = (counts.get(comment.issue) ?? 0) + 1;
          counts.set(comment.issue, index);
          byIssue.set(comment.issue, [...(byIssue.get(comment.issue) ?? []), commentToRecord(comment, index)]);
        }
        for (const [issue, records] of byIssue)
          await appendFile(join(this.folder, 'comments', `${issue}.yml`), stringifyYaml(records));
      }
    };
    if (reader.comments) return take(reader.comments());
    if (reader.commentsOf) for (const subject of this.#subjects) await take(reader.commentsOf(subject));
  }

  async #reviews(): Promise<void> {
    const { reader } = this;
    if (!reader.reviewsOf) return;
    await mkdir(join(this.folder, 'reviews'), { recursive: true });
    for (const subject of this.#subjects.filter(({ isPull }) => isPull)) {
      let number = 0;
      for await (const items of this.#read(reader.reviewsOf(subject)))
        if (items.length)
          await appendFile(
            join(this.folder, 'reviews', `${subject.number}.yml`),
            stringifyYaml(items.map((review) => reviewToRecord(review, ++number))),
          );
    }
  }

  async #assets(release: SourceRelease): Promise<AssetRecord[]> {
    if (!this.units.has('release_assets')) return [];
    const records: AssetRecord[] = [];
    const names = new Set<string>();
    const folder = this.#releaseFolder(release);
    for (const asset of release.assets) {
      const plain = plainName(asset.name);
      const name = freeName(plain, names, (number) => `${number}-${plain}`);
      const path = `release_assets/${folder}/${name}`;
      await mkdir(join(this.folder, path, '..'), { recursive: true });
      await asset.read(
        (content) => pipeline(content, createWriteStream(join(this.folder, path)), { signal: this.signal }),
        this.signal,
      );
      records.push({
        id: records.length + 1,
        name: asset.name,
        size: asset.size ?? 0,
        created: timeOut(asset.createdAt),
        updated: timeOut(asset.createdAt),
        download_url: path,
      });
    }
    return records;
  }

  /** Two tags may differ in what no path can hold, or in case alone. */
  #releaseFolder({ tagName, id }: SourceRelease): string {
    const folder = plainName(tagName || id);
    return freeName(folder, this.#releaseFolders, (number) => `${folder}-${number}`);
  }

  #document(name: string, value: unknown): Promise<void> {
    return writeFile(join(this.folder, name), stringifyYaml(value));
  }

  async #list<T>(
    unit: DumpUnit,
    name: string,
    pages: SourcePages<T> | undefined,
    records: (items: readonly T[]) => Promise<readonly unknown[]> | readonly unknown[],
    writesEmpty = true,
  ): Promise<void> {
    if (!pages || !this.units.has(unit)) return;
    const file = join(this.folder, name);
    let count = 0;
    for await (const items of this.#read(pages)) {
      if (items.length === 0) continue;
      const part = await records(items);
      await appendFile(file, stringifyYaml(part));
      count += part.length;
    }
    if (count === 0 && writesEmpty) await this.#document(name, []);
  }

  /** Pages of a kind that the source has; none where it says that it has none. */
  async *#read<T>(pages: SourcePages<T>): AsyncGenerator<readonly T[]> {
    let position: string | undefined;
    let count = 0;
    try {
      for await (const { items, next } of pages) {
        this.signal.throwIfAborted();
        // a page without anything counts too: lists that never end do not fill the disk, nor the time
        count += Math.max(items.length, 1);
        if (count > maxRecords || (next !== undefined && next === position))
          throw new SourceFailure('invalidData', 'The source gives a list that does not end.');
        position = next;
        yield items;
        if (next === undefined) return;
      }
    } catch (error) {
      if (!SourceFailure.is(error) || error.reason !== 'notOffered') throw error;
    }
  }
}
