import { defineJob, type Database, type Site } from '@mortise/plugin-sdk';
import type { Account, AccountMail, Accounts } from '@mortise/accounts/api';
import type { Repositories, Repository, RepositoryAccess } from '@mortise/repositories/api';
import { isFinal, statusName, statusNumbers } from '../../contract/states.js';
import { MailChoiceRow } from '../../models/mail-choice.js';
import { AttemptRow } from '../../models/attempt.js';
import { RunRow } from '../../models/run.js';
import { t } from '../../texts/index.js';
import { jobsOf } from './run-rows.js';

/** Of which runs that one has started one gets mail. */
export const runMailChoices = ['all', 'failure-only', 'disabled'] as const;
export type RunMailChoice = (typeof runMailChoices)[number];
const defaultChoice: RunMailChoice = 'failure-only';

/** Jobs that a mail names. */
const maxJobs = 30;

/** Mails the starter of an attempt that it has ended. */
export const mailRun = defineJob<{ readonly runId: number; readonly attempt: number; readonly status: number }>(
  'actions.mailRun',
);

/** Is the change one that somebody may want mail of? Runs that were skipped are none. */
export const isMailed = ({ status, before }: { readonly status: number; readonly before: number }): boolean =>
  isFinal(status) && !isFinal(before) && status !== statusNumbers.skipped;

export class RunMails {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly site: Site;
      readonly accounts: Accounts;
      readonly accountMail: AccountMail;
      readonly repositories: Repositories;
      readonly access: RepositoryAccess;
    },
  ) {}

  async choiceOf(userId: number): Promise<RunMailChoice> {
    const row = await this.deps.database.query(MailChoiceRow).findById(userId);
    return runMailChoices.find((one) => one === row?.choice) ?? defaultChoice;
  }

  async setChoice(userId: number, choice: RunMailChoice): Promise<void> {
    const { database } = this.deps;
    await database.write(() =>
      database.query(MailChoiceRow).insert({ user_id: userId, choice }).onConflict('user_id').merge(),
    );
  }

  async send({ runId, attempt: number, status }: { runId: number; attempt: number; status: number }): Promise<void> {
    const { database, accounts, repositories } = this.deps;
    const run = await database.query(RunRow).findById(runId);
    const attempt = run && (await database.query(AttemptRow).findOne({ run_id: runId, number }));
    if (!run || !attempt) return;
    const [account, repository] = [
      await accounts.byId(attempt.trigger_user_id),
      await repositories.byId(run.repository_id),
    ];
    if (!repository || !account || !(await this.#wants(account, repository, status))) return;
    await this.#send(account, repository, run, attempt, status);
  }

  async #wants(account: Account, repository: Repository, status: number): Promise<boolean> {
    const { accounts, access } = this.deps;
    if (account.kind !== 'user' || accounts.refusal(account)) return false;
    const choice = await this.choiceOf(account.id);
    if (choice === 'disabled' || (choice === 'failure-only' && status !== statusNumbers.failure)) return false;
    return (await access.context(accounts.actorOf(account, ''), repository)).may('read', 'actions');
  }

  async #send(
    account: Account,
    repository: Repository,
    run: RunRow,
    attempt: AttemptRow,
    status: number,
  ): Promise<void> {
    const { database, accountMail, repositories, site } = this.deps;
    const path = `${repository.ownerName}/${repository.name}`;
    const workflow = run.workflow_name || run.workflow_id;
    const values = { workflow, number: run.number, commit: run.commit_sha.slice(0, 10) };
    const result = () => t(`status.${statusName(status)}`);
    const jobs = await jobsOf(database, run.id, attempt.id);
    const list = () =>
      jobs
        .slice(0, maxJobs)
        .map((job) => `${t(`status.${statusName(job.status)}`)}: ${job.name}`)
        .join('\n');
    await accountMail.send(account, {
      subject: () => `[${path}] ${t('mail.subject', { ...values, result: result() })}`,
      body: [
        () => t('mail.ended', { ...values, repository: path, title: run.title, result: statusName(status) }),
        ...(jobs.length > 0 ? [list] : []),
        ...(jobs.length > maxJobs ? [t.later('mail.moreJobs', { count: jobs.length - maxJobs })] : []),
        { link: `${repositories.htmlUrl(repository)}/actions/runs/${run.id}`, label: t.later('mail.view') },
        t.later('mail.why'),
      ],
      messageId: `actions/run/${run.id}/${attempt.number}`,
      list: { id: path, unsubscribe: site.url('/user/settings/notifications') },
    });
  }
}
