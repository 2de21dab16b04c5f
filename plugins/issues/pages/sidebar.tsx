import type { ComponentChildren, VNode } from 'preact';
import { Csrf, icon, PostButton } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Repository } from '@mortise/repositories/api';
import type { Issue, Label, Milestone } from '../api.js';
import type { FieldForm, IssueField } from '../fields/field.js';
import { fields, fieldValue } from '../fields/values.js';
import type { ConversationData } from '../services/conversation.js';
import { IssueLink } from './timeline-lines.js';
import {
  Avatar,
  repositoryPathOf,
  LabelChip,
  StyleIcon,
  UserLink,
  defaultStyle,
  type PageDeps,
} from './page-context.js';
import { t } from '../texts/index.js';

/** What can be set at the side, by `set` of the address. */
export const settable: readonly string[] = [
  'labels',
  'milestone',
  'assignees',
  'dependencies',
  ...fields.flatMap(({ form }) => form?.key ?? []),
];

export interface SidebarProps {
  readonly deps: PageDeps;
  readonly repository: Repository;
  readonly issue: Issue;
  readonly data: ConversationData;
  readonly users: ReadonlyMap<number, Account>;
  /** Of the repositories of other issues. */
  readonly repositoriesById: ReadonlyMap<number, Repository>;
  readonly action: string;
  readonly page: string;
  readonly me: number;
  readonly mayWrite: boolean;
  readonly mayAdminister: boolean;
  readonly hasDependencies: boolean;
  readonly mayPin: boolean;
  /** What is being set, with what can be chosen. */
  readonly set?: string;
  readonly choices: {
    readonly labels: readonly Label[];
    readonly milestones: readonly Milestone[];
    readonly users: readonly Account[];
  };
  /** Boxes of other plugins, with their order. */
  readonly slots: readonly { readonly order: number; readonly node: VNode }[];
}

function SidebarSection({
  name,
  title,
  props,
  children,
}: {
  name?: string;
  title: string;
  props: SidebarProps;
  children: ComponentChildren;
}): VNode {
  const { page, set, mayWrite } = props;
  return (
    <section class="issue-side" id={name ? `side-${name}` : undefined} aria-label={title}>
      <div class="d-flex mb-1">
        <h3 class="f6 color-fg-muted flex-auto mb-0">{title}</h3>
        {name && mayWrite ? (
          set === name ? (
            <a class="Link--muted f6" href={page}>
              {t('side.cancel')}
            </a>
          ) : (
            <a
              class="Link--muted"
              href={`${page}?set=${name}#side-${name}`}
              aria-label={t('side.change', { what: title })}
            >
              {icon('gear')}
            </a>
          )
        ) : null}
      </div>
      {children}
    </section>
  );
}

/** A form at the side that sets one thing. */
const SetForm = ({ props, to, children }: { props: SidebarProps; to: string; children: ComponentChildren }): VNode => (
  <form method="post" action={`${props.action}/${to}`}>
    <Csrf />
    {children}
    <button class="btn btn-sm btn-primary mt-2" type="submit">
      {t('side.save')}
    </button>
  </form>
);

const nothing = (): VNode => <span class="f6 color-fg-muted">{t('side.none')}</span>;

export function Sidebar(props: SidebarProps): VNode {
  const boxes = [
    { order: 20, node: <Labels {...props} /> },
    { order: 30, node: <MilestoneBox {...props} /> },
    { order: 40, node: <Assignees {...props} /> },
    ...fields.flatMap((field) =>
      field.form ? [{ order: field.form.order, node: <FieldBox {...props} field={field} form={field.form} /> }] : [],
    ),
    ...(props.hasDependencies ? [{ order: 70, node: <Dependencies {...props} /> }] : []),
    { order: 90, node: <Participants {...props} /> },
    ...(props.me ? [{ order: 95, node: <Subscription {...props} /> }] : []),
    ...(props.mayAdminister ? [{ order: 99, node: <Moderation {...props} /> }] : []),
    ...props.slots,
  ];
  return (
    <aside class="issue-sidebar" aria-label={t('side.title')}>
      {boxes.sort((a, b) => a.order - b.order).map(({ node }) => node)}
    </aside>
  );
}

function Labels(props: SidebarProps): VNode {
  const { data, deps, set, choices } = props;
  const { emojify } = deps;
  const carried = new Set(data.labels.map(({ id }) => id));
  return (
    <SidebarSection name="labels" title={t('labels.title')} props={props}>
      {set === 'labels' ? (
        <SetForm props={props} to="labels">
          <div class="issue-choices">
            {choices.labels.map((label) => (
              <label class="d-block text-normal" key={label.id}>
                <input type="checkbox" name="ids" value={label.id} checked={carried.has(label.id)} />{' '}
                <LabelChip label={label} emojify={emojify} />
              </label>
            ))}
            {choices.labels.length ? null : <p class="f6">{t('labels.none')}</p>}
          </div>
        </SetForm>
      ) : data.labels.length ? (
        <div>
          {data.labels.map((label) => (
            <LabelChip label={label} emojify={emojify} />
          ))}
        </div>
      ) : (
        nothing()
      )}
    </SidebarSection>
  );
}

function MilestoneBox(props: SidebarProps): VNode {
  const { data, set, choices, deps, repository } = props;
  const { milestone } = data;
  const options =
    milestone && !choices.milestones.some(({ id }) => id === milestone.id)
      ? [milestone, ...choices.milestones]
      : choices.milestones;
  return (
    <SidebarSection name="milestone" title={t('milestones.one')} props={props}>
      {set === 'milestone' ? (
        <SetForm props={props} to="milestone">
          <select class="form-select width-full" name="milestone" aria-label={t('milestones.one')}>
            <option value="0">{t('milestones.without')}</option>
            {options.map(({ id, title }) => (
              <option value={id} selected={id === milestone?.id}>
                {title}
              </option>
            ))}
          </select>
        </SetForm>
      ) : milestone ? (
        <a
          class="Link--primary wb-break-word"
          href={`${repositoryPathOf(deps.site, repository)}/milestone/${milestone.id}`}
        >
          {icon('milestone')} {milestone.title}
        </a>
      ) : (
        nothing()
      )}
    </SidebarSection>
  );
}

const UserList = ({
  ids,
  props,
  withNames,
}: {
  ids: readonly number[];
  props: SidebarProps;
  withNames?: boolean;
}): VNode => (
  <div class={withNames ? '' : 'd-flex flex-wrap gap-1'}>
    {ids.map((id) => {
      const account = props.users.get(id);
      if (!account) return null;
      const src = props.deps.accounts.avatarUrl(account);
      return withNames ? (
        <div>
          <Avatar src={src} /> <UserLink account={account} path={props.deps.site.path} />
        </div>
      ) : (
        <a href={props.deps.site.path(`/${account.name}`)}>
          <Avatar src={src} size={24} name={account.name} />
        </a>
      );
    })}
  </div>
);

function Assignees(props: SidebarProps): VNode {
  const { data, set, choices } = props;
  const assigned = new Set(data.assignees);
  return (
    <SidebarSection name="assignees" title={t('assignees.title')} props={props}>
      {set === 'assignees' ? (
        <SetForm props={props} to="assignees">
          <div class="issue-choices">
            {choices.users.map(({ id, name }) => (
              <label class="d-block text-normal" key={id}>
                <input type="checkbox" name="names" value={name} checked={assigned.has(id)} /> {name}
              </label>
            ))}
          </div>
        </SetForm>
      ) : data.assignees.length ? (
        <UserList ids={data.assignees} props={props} withNames />
      ) : (
        nothing()
      )}
      {props.mayWrite && set !== 'assignees' && !assigned.has(props.me) ? (
        <PostButton action={`${props.action}/assignees`} fields={{ self: 1 }} class="btn-link f6">
          {t('assignees.self')}
        </PostButton>
      ) : null}
    </SidebarSection>
  );
}

/** A field that has a control, with its value. */
function FieldBox({ field, form, ...props }: SidebarProps & { field: IssueField; form: FieldForm }): VNode {
  const { issue, set } = props;
  const { key, Input, SidebarValue: Shown } = form;
  const value = fieldValue(issue, field);
  return (
    <SidebarSection name={key} title={form.title()} props={props}>
      {set === key ? (
        <SetForm props={props} to={key}>
          <Input value={form.text(value)} />
          <p class="note">{t('due.note')}</p>
        </SetForm>
      ) : value ? (
        <Shown issue={issue} />
      ) : (
        nothing()
      )}
    </SidebarSection>
  );
}

function Dependencies(props: SidebarProps): VNode {
  const { data, deps, repository, repositoriesById, set, action, mayWrite } = props;
  const list = (title: string, issues: readonly Issue[], which: 'dependencies' | 'blocks') =>
    issues.length ? (
      <>
        <p class="f6 mb-1">{title}</p>
        <ul class="list-style-none mb-2">
          {issues.map((other) => {
            const otherRepository = repositoriesById.get(other.repositoryId);
            if (!otherRepository) return null;
            return (
              <li class="d-flex gap-1 mb-1">
                <StyleIcon style={defaultStyle(other)} />
                <span class="flex-auto min-width-0">
                  <IssueLink
                    issue={other}
                    repository={otherRepository}
                    own={repository}
                    repositoryPath={repositoryPathOf(deps.site, otherRepository)}
                    emojify={deps.emojify}
                  />
                </span>
                {mayWrite ? (
                  <PostButton
                    action={`${action}/dependencies`}
                    fields={{ remove: other.id, which }}
                    label={t('dependencies.remove', { title: other.title })}
                    class="btn-octicon p-0"
                  >
                    {icon('x')}
                  </PostButton>
                ) : null}
              </li>
            );
          })}
        </ul>
      </>
    ) : null;
  return (
    <SidebarSection name="dependencies" title={t('dependencies.title')} props={props}>
      {list(t('dependencies.waitsFor'), data.dependsOn, 'dependencies')}
      {list(t('dependencies.blocks'), data.blocks, 'blocks')}
      {set === 'dependencies' ? (
        <SetForm props={props} to="dependencies">
          <input
            class="form-control width-full"
            name="issue"
            required
            placeholder={t('dependencies.placeholder')}
            aria-label={t('dependencies.add')}
          />
          <select class="form-select mt-1" name="which" aria-label={t('dependencies.title')}>
            <option value="dependencies">{t('dependencies.waitsFor')}</option>
            <option value="blocks">{t('dependencies.blocks')}</option>
          </select>
        </SetForm>
      ) : data.dependsOn.length + data.blocks.length ? null : (
        nothing()
      )}
    </SidebarSection>
  );
}

const Participants = (props: SidebarProps): VNode => (
  <SidebarSection title={t('participants.title', { count: props.data.participants.length })} props={props}>
    <UserList ids={props.data.participants} props={props} />
  </SidebarSection>
);

const Subscription = (props: SidebarProps): VNode => (
  <SidebarSection title={t('subscription.title')} props={props}>
    <PostButton
      action={`${props.action}/subscription`}
      fields={{ subscribed: props.data.isSubscribed ? 0 : 1 }}
      class="btn btn-sm width-full"
    >
      {props.data.isSubscribed ? t('subscription.off') : t('subscription.on')}
    </PostButton>
    <p class="note">{props.data.isSubscribed ? t('subscription.isOn') : t('subscription.isOff')}</p>
  </SidebarSection>
);

function Moderation(props: SidebarProps): VNode {
  const { issue, action, mayPin } = props;
  return (
    <SidebarSection title={t('moderation.title')} props={props}>
      <div class="d-flex flex-column gap-2 flex-items-start">
        {issue.pinOrder || mayPin ? (
          <PostButton action={`${action}/pin`} fields={{ pinned: issue.pinOrder ? 0 : 1 }}>
            {issue.pinOrder ? t('moderation.unpin') : t('moderation.pin')}
          </PostButton>
        ) : null}
        {issue.isLocked ? (
          <PostButton action={`${action}/lock`} fields={{ locked: 0 }}>
            {t('moderation.unlock')}
          </PostButton>
        ) : (
          <details>
            <summary class="btn btn-sm">{t('moderation.lock')}</summary>
            <form method="post" action={`${action}/lock`} class="mt-2">
              <Csrf />
              <input type="hidden" name="locked" value="1" />
              <p class="f6">{t('moderation.lockNote')}</p>
              <input
                class="form-control width-full mb-2"
                name="reason"
                maxLength={200}
                aria-label={t('moderation.reason')}
                placeholder={t('moderation.reason')}
              />
              <button class="btn btn-sm" type="submit">
                {t('moderation.lock')}
              </button>
            </form>
          </details>
        )}
        {issue.isPull ? null : (
          <PostButton action={`${action}/delete`} danger confirm={t('moderation.deleteConfirm')}>
            {t('moderation.delete')}
          </PostButton>
        )}
      </div>
    </SidebarSection>
  );
}
