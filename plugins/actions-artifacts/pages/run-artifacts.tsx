import type { VNode } from 'preact';
import { formatDate, formatSize, icon, PostButton, Section } from '@mortise/plugin-sdk';
import type { RunPageSection, RunPageContext } from '@mortise/actions/api';
import { MarkupBody, markupIslands, type Markup, type SafeHtml } from '@mortise/markup/api';
import type { Artifact, RunArtifacts } from '../contract/artifacts.js';
import { t } from '../texts/index.js';

interface JobSummary {
  readonly jobId: number;
  readonly jobName: string;
  readonly html: SafeHtml;
}

interface RunArtifactsProps {
  readonly context: RunPageContext;
  readonly artifacts: readonly Artifact[];
  readonly summaries: readonly JobSummary[];
}

/** Artifacts with what is done with them, and what steps wrote about themselves. */
function RunArtifactsView({ context, artifacts, summaries }: RunArtifactsProps): VNode {
  const { base, attempt, mayWrite } = context;
  return (
    <>
      {summaries.map(({ jobId, jobName, html }) => (
        <Section key={jobId} title={t('summaries.of', { name: jobName })}>
          <MarkupBody html={html} class="wb-break-word" />
        </Section>
      ))}
      {artifacts.length > 0 ? (
        <Section title={t('artifacts.title')}>
          <ul class="Box list-style-none mb-3">
            {artifacts.map(({ id, name, size, isExpired, expiresAt }) => {
              const address = `${base}/artifacts/${encodeURIComponent(name)}`;
              return (
                <li key={id} class="Box-row d-flex flex-wrap flex-items-center gap-2">
                  <div class="flex-auto min-width-0 wb-break-word">
                    {icon('package')} {isExpired ? name : <a href={`${address}?attempt=${attempt}`}>{name}</a>}
                    <div class="color-fg-muted f6">
                      {formatSize(size)} ·{' '}
                      {isExpired
                        ? t('artifacts.expired')
                        : t('artifacts.expires', { when: formatDate(expiresAt, 'minute') })}
                    </div>
                  </div>
                  {mayWrite ? (
                    <PostButton
                      action={`${address}/delete`}
                      fields={{ attempt: String(attempt) }}
                      danger
                      label={t('artifacts.deleteOf', { name })}
                      confirm={t('artifacts.deleteConfirm', { name })}
                    >
                      {t('artifacts.delete')}
                    </PostButton>
                  ) : null}
                </li>
              );
            })}
          </ul>
        </Section>
      ) : null}
    </>
  );
}

/** What jobs of a run have left, on its page. */
export function runArtifactsSection(deps: {
  readonly runArtifacts: RunArtifacts;
  readonly markup: Markup;
}): RunPageSection {
  const summariesOf = async ({ jobs, repository, actor, remoteAddress }: RunPageContext): Promise<JobSummary[]> => {
    const steps = await deps.runArtifacts.summaries(jobs.map(({ id }) => id));
    const texts = jobs.flatMap(({ id, name }) => {
      const own = steps.filter(({ jobId }) => jobId === id).map(({ content }) => content);
      return own.length > 0 ? [{ id, name, text: own.join('\n\n') }] : [];
    });
    return Promise.all(
      texts.map(async ({ id, name, text }) => ({
        jobId: id,
        jobName: name,
        html: await deps.markup.render(text, {
          repository: `${repository.ownerName}/${repository.name}`,
          viewer: { actor, ...(remoteAddress !== undefined && { remoteAddress }) },
        }),
      })),
    );
  };
  return {
    key: 'artifacts',
    async load(context) {
      const artifacts = await deps.runArtifacts.ofAttempt(context.runId, context.attemptId);
      const summaries = await summariesOf(context);
      return {
        state: {
          artifacts: artifacts.map(({ name, size, isExpired, expiresAt }) => ({
            name,
            size,
            status: isExpired ? 'expired' : 'completed',
            expiresUnix: Math.floor(expiresAt / 1000),
          })),
          jobSummaries: summaries,
        },
        ...(summaries.length > 0 && { islands: markupIslands }),
        render: () => <RunArtifactsView {...{ context, artifacts, summaries }} />,
      };
    },
  };
}
