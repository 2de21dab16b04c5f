// Work that comes at night, done every few minutes: each task of the administration in turn, after what is kept for days
// was made older by so many days.

/** Table → the column of its age in milliseconds, and the days that rows are kept. */
const agedTables = {
  audit_entry: { column: 'created_at', days: 2 },
  git_change: { column: 'created_at', days: 8 },
  git_former_tip: { column: 'replaced_at', days: 91 },
  package_blob: { column: 'created_at', days: 2 },
  notification_progress: { column: 'updated_at', days: 61 },
};
const ageAfterMs = 4 * 60_000;

export class Upkeep {
  #next = 0;
  #tasks;

  constructor(site, database) {
    this.site = site;
    this.database = database;
  }

  /** The next task. */
  async step() {
    const { server } = this.site;
    if (!this.#tasks) {
      const answer = await server.api('GET', '/admin/cron?limit=100');
      this.#tasks = answer.json.map(({ name }) => name);
    }
    if (this.#next % this.#tasks.length === 0) await this.#age();
    const name = this.#tasks[this.#next++ % this.#tasks.length];
    const { status, text } = await server.api('POST', `/admin/cron/${encodeURIComponent(name)}`);
    if (status !== 204) throw new Error(`the task ${name}: ${status} ${text}`);
  }

  async #age() {
    const before = Date.now() - ageAfterMs;
    for (const [table, { column, days }] of Object.entries(agedTables)) {
      const span = days * 86_400_000;
      await this.database.run(
        `update ${this.database.quote(table)} set ${column} = ${column} - ${span} where ${column} < ${before} and ${column} > ${before - span}`,
      );
    }
  }
}
