import type { VNode } from 'preact';
import {
  Blankslate,
  CheckField,
  Csrf,
  formText,
  isChecked,
  lastPage,
  NumberField,
  Pager,
  PostButton,
  Section,
  TextField,
  type FormValues,
} from '@mortise/plugin-sdk';
import { AvatarField } from '@mortise/accounts/api';
import type { Organization } from '../contract/organizations.js';
import { VisibilityField } from './create.js';
import { UserRow, type PathOf, type UserView } from './components.js';
import { t } from '../texts/index.js';

interface FormProps {
  readonly organization: Organization;
  /** Address of the settings of the organization. */
  readonly base: string;
}

export interface SettingsProps extends FormProps {
  readonly avatarUrl: string;
  /** Administrators of the site also say how much it may have. */
  readonly isAdmin: boolean;
  /** The form that was refused, by the last part of its address; '' is the first. */
  readonly sent?: { readonly form: '' | 'rename' | 'avatar'; readonly values: FormValues };
}

function ProfileSection({ organization, base, isAdmin, sent }: SettingsProps): VNode {
  const { account, repositoryAdminsChangeTeams } = organization;
  const given = sent?.form === '' ? sent.values : undefined;
  const text = (name: string, stored: string) => (given ? formText(given, name) : stored);
  return (
    <Section title={t('settings.profile')}>
      <form method="post" action={base}>
        <Csrf />
        <TextField
          name="full_name"
          input="fullName"
          label={t('settings.fullName')}
          value={text('full_name', account.fullName)}
          maxLength={100}
        />
        <TextField
          name="email"
          label={t('settings.email')}
          type="email"
          value={text('email', account.email)}
          maxLength={254}
          note={t('settings.emailNote')}
        />
        <TextField
          lines={3}
          name="description"
          label={t('settings.description')}
          value={text('description', account.description)}
          maxLength={255}
        />
        <TextField
          name="website"
          label={t('settings.website')}
          type="url"
          value={text('website', account.website)}
          maxLength={255}
        />
        <TextField
          name="location"
          label={t('settings.location')}
          value={text('location', account.location)}
          maxLength={50}
        />
        <VisibilityField value={text('visibility', account.visibility)} />
        <CheckField
          name="repo_admin_change_team_access"
          value="on"
          label={t('settings.adminsChangeTeams')}
          checked={given ? isChecked(given, 'repo_admin_change_team_access') : repositoryAdminsChangeTeams}
        />
        {isAdmin ? (
          <NumberField
            name="max_repo_creation"
            label={t('settings.maxRepositories')}
            min={-1}
            value={Number(text('max_repo_creation', String(account.maxRepoCreation)))}
            note={t('settings.maxRepositoriesNote')}
          />
        ) : null}
        <button class="btn btn-primary mt-2" type="submit">
          {t('settings.save')}
        </button>
      </form>
    </Section>
  );
}

const AvatarSection = ({ organization: { account }, base, avatarUrl }: SettingsProps): VNode => (
  <Section title={t('settings.avatar')}>
    <div class="d-flex flex-items-center">
      <img class="avatar mr-3" src={avatarUrl} width="80" height="80" alt={t('settings.avatar')} />
      <div class="flex-auto min-width-0">
        <form method="post" action={`${base}/avatar`} enctype="multipart/form-data" class="mb-2">
          <Csrf />
          <AvatarField label={t('settings.avatarChoose')} />
          <button class="btn" type="submit">
            {t('settings.avatarUpload')}
          </button>
        </form>
        {account.avatar ? (
          <PostButton action={`${base}/avatar/delete`} danger>
            {t('settings.avatarDelete')}
          </PostButton>
        ) : null}
      </div>
    </div>
  </Section>
);

const RenameSection = ({ organization: { account }, base, sent }: SettingsProps): VNode => (
  <Section title={t('settings.rename')}>
    <form method="post" action={`${base}/rename`}>
      <Csrf />
      <TextField
        name="new_org_name"
        input="name"
        label={t('settings.newName')}
        value={sent?.form === 'rename' ? formText(sent.values, 'new_org_name') : account.name}
        required
        maxLength={40}
        autocapitalize="none"
        note={t('settings.renameNote')}
      />
      <button class="btn" type="submit">
        {t('settings.rename')}
      </button>
    </form>
  </Section>
);

/** What the organization says of itself, who sees it, its picture and its name. */
export const Settings = (props: SettingsProps): VNode => (
  <>
    <ProfileSection {...props} />
    <AvatarSection {...props} />
    <RenameSection {...props} />
  </>
);

/** Deleting it, with its name typed. */
export const DeleteForm = ({ organization, base }: FormProps): VNode => (
  <Section title={t('delete.title')} danger>
    <p>{t('delete.note')}</p>
    <form method="post" action={`${base}/delete`}>
      <Csrf />
      <TextField
        name="org_name"
        label={t('delete.confirm', { name: organization.account.name })}
        required
        maxLength={40}
        autocapitalize="none"
        short
      />
      <button class="btn btn-danger" type="submit">
        {t('delete.title')}
      </button>
    </form>
  </Section>
);

interface BlockedProps extends FormProps {
  readonly users: readonly UserView[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  /** The name that was refused. */
  readonly name: string;
  readonly path: PathOf;
}

/** Whom the organization blocks. */
export const Blocked = ({ base, users, total, page, limit, name, path }: BlockedProps): VNode => (
  <Section title={t('blocked.title')}>
    <p class="color-fg-muted">{t('blocked.note')}</p>
    <form method="post" action={`${base}/blocked_users`} class="mb-3">
      <Csrf />
      <TextField
        name="name"
        label={t('team.username')}
        value={name}
        required
        maxLength={40}
        autocapitalize="none"
        data-suggest="user"
        short
      />
      <button class="btn btn-danger" type="submit">
        {t('blocked.block')}
      </button>
    </form>
    {total === 0 ? (
      <Blankslate level={3} title={t('blocked.none')} icon="circle-slash" />
    ) : (
      <ul class="Box list-style-none">
        {users.map((one) => (
          <UserRow key={one.account.id} {...one} path={path}>
            <PostButton
              action={`${base}/blocked_users`}
              fields={{ action: 'unblock', name: one.account.name }}
              label={t('blocked.unblockOf', { name: one.account.name })}
            >
              {t('blocked.unblock')}
            </PostButton>
          </UserRow>
        ))}
      </ul>
    )}
    <Pager page={page} last={lastPage(total, limit)} href={(to) => `?page=${to}`} />
  </Section>
);
