import { CheckField, Csrf, PostButton, Section, SelectField, TextField } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account, EmailAddress, PublicKey } from '../api.js';
import { sentWith, textIn, tickIn } from './sent.js';

export interface FormProps {
  readonly csrf: string;
  /** Path of a page with the sub-path of the site. */
  readonly path: (path: string) => string;
  /** What a form of the page was sent with, when it was refused: it is shown again. */
  readonly sent?: unknown;
}

export function ProfileForm({
  account,
  avatarUrl,
  csrf,
  path,
  sent: given,
}: FormProps & { account: Account; avatarUrl: string }): VNode {
  const sent = sentWith(given, 'full_name');
  return (
    <div>
      <Section title="Public profile">
        <form method="post" action={path('/user/settings')}>
          <Csrf token={csrf} />
          <TextField
            name="full_name"
            label="Full name"
            value={textIn(sent, 'full_name', account.fullName)}
            maxLength={100}
            autocomplete="name"
          />
          <TextField
            lines={3}
            name="description"
            label="About"
            value={textIn(sent, 'description', account.description)}
            maxLength={255}
          />
          <TextField
            name="website"
            label="Website"
            value={textIn(sent, 'website', account.website)}
            type="url"
            maxLength={255}
            autocomplete="url"
          />
          <TextField
            name="location"
            label="Location"
            value={textIn(sent, 'location', account.location)}
            maxLength={50}
          />
          <SelectField
            name="visibility"
            label="Who sees your profile"
            value={textIn(sent, 'visibility', account.visibility)}
            options={[
              ['public', 'Everybody'],
              ['limited', 'People who are signed in'],
              ['private', 'Nobody but you and administrators'],
            ]}
          />
          <CheckField
            name="hide_email"
            label="Hide my e-mail address"
            checked={tickIn(sent, 'hide_email', account.keepEmailPrivate)}
            note="Commits made here carry an address that leads to nobody's mailbox."
          />
          <CheckField
            name="hide_activity"
            label="Hide my activity"
            checked={tickIn(sent, 'hide_activity', account.hideActivity)}
          />
          <button class="btn btn-primary mt-2" type="submit">
            Save profile
          </button>
        </form>
      </Section>
      <Section title="Picture">
        <div class="d-flex flex-items-center">
          <img class="avatar mr-3" src={avatarUrl} width="80" height="80" alt="Your picture" />
          <div>
            <form method="post" action={path('/user/settings/avatar')} enctype="multipart/form-data" class="mb-2">
              <Csrf token={csrf} />
              <input
                type="file"
                name="avatar"
                accept="image/png,image/jpeg,image/gif,image/webp"
                aria-label="New picture"
                required
              />
              <button class="btn ml-2" type="submit">
                Upload
              </button>
            </form>
            {account.avatar ? (
              <PostButton action={path('/user/settings/avatar/delete')} csrf={csrf} danger>
                Remove the picture
              </PostButton>
            ) : null}
          </div>
        </div>
      </Section>
    </div>
  );
}

export const AccountForms = ({
  account,
  emails,
  csrf,
  path,
  sent,
}: FormProps & { account: Account; emails: readonly EmailAddress[] }): VNode => (
  <div>
    {account.sourceId === 0 ? (
      <Section title="Password">
        <form method="post" action={path('/user/settings/account/password')}>
          <Csrf token={csrf} />
          <TextField
            name="old_password"
            label="Present password"
            type="password"
            required
            autocomplete="current-password"
          />
          <TextField name="password" label="New password" type="password" required autocomplete="new-password" />
          <TextField name="retype" label="New password again" type="password" required autocomplete="new-password" />
          <button class="btn btn-primary" type="submit">
            Change password
          </button>
        </form>
      </Section>
    ) : null}
    <Section title="E-mail addresses">
      <div class="Box mb-3">
        {emails.map((entry) => (
          <div class="Box-row d-flex flex-items-center" key={entry.id}>
            <div class="flex-auto">
              <strong>{entry.email}</strong>{' '}
              {entry.isPrimary ? <span class="Label Label--success">Primary</span> : null}
              {entry.isVerified ? null : <span class="Label Label--warning">Not verified</span>}
            </div>
            {entry.isPrimary ? null : (
              <div class="d-flex">
                <PostButton
                  action={path('/user/settings/account/email/primary')}
                  csrf={csrf}
                  fields={{ email: entry.email }}
                  label={`Make primary: ${entry.email}`}
                  formClass="mr-2"
                >
                  Make primary
                </PostButton>
                <PostButton
                  action={path('/user/settings/account/email/delete')}
                  csrf={csrf}
                  fields={{ email: entry.email }}
                  label={`Delete ${entry.email}`}
                  confirm={`Delete ${entry.email}? Commits with this address are no longer shown as yours.`}
                  danger
                >
                  Delete
                </PostButton>
              </div>
            )}
          </div>
        ))}
      </div>
      <form method="post" action={path('/user/settings/account/email')}>
        <Csrf token={csrf} />
        <TextField
          value={textIn(sentWith(sent, 'email'), 'email')}
          name="email"
          label="Add an address"
          type="email"
          required
          maxLength={254}
          autocomplete="email"
        />
        <button class="btn" type="submit">
          Add address
        </button>
      </form>
    </Section>
    <Section title="Delete the account">
      <p>The account must not own repositories, packages or organizations any more. This cannot be undone.</p>
      <form method="post" action={path('/user/settings/account/delete')}>
        <Csrf token={csrf} />
        <TextField
          id="field-delete-password"
          name="password"
          label="Password"
          type="password"
          required
          autocomplete="current-password"
        />
        <button class="btn btn-danger" type="submit">
          Delete my account
        </button>
      </form>
    </Section>
  </div>
);

const day = (at: number) => new Date(at).toISOString().slice(0, 10);

export function KeyForms({ keys, csrf, path, sent: given }: FormProps & { keys: readonly PublicKey[] }): VNode {
  const sent = sentWith(given, 'key');
  return (
    <div>
      <Section title="SSH keys">
        {keys.length === 0 ? (
          <div class="blankslate blankslate-spacious border rounded-2 mb-3">
            <h3 class="blankslate-heading">No SSH keys yet</h3>
            <p>With a key you can push and pull over SSH without a password.</p>
          </div>
        ) : (
          <div class="Box mb-3">
            {keys.map((key) => (
              <div class="Box-row d-flex flex-items-center" key={key.id}>
                <div class="flex-auto min-width-0">
                  <strong>{key.title}</strong> {key.readOnly ? <span class="Label">Read only</span> : null}
                  <div class="text-mono f6 color-fg-muted css-truncate css-truncate-overflow">{key.fingerprint}</div>
                  <div class="f6 color-fg-muted">
                    Added {day(key.createdAt)}
                    {key.lastUsedAt > key.createdAt ? ` · last used ${day(key.lastUsedAt)}` : ' · never used'}
                  </div>
                </div>
                <PostButton
                  action={path('/user/settings/keys/delete')}
                  csrf={csrf}
                  fields={{ id: key.id }}
                  label={`Delete the key ${key.title}`}
                  confirm={`Delete the key ${key.title}? Who uses it cannot push or pull any more.`}
                  danger
                >
                  Delete
                </PostButton>
              </div>
            ))}
          </div>
        )}
      </Section>
      <Section title="Add a key">
        <form method="post" action={path('/user/settings/keys')}>
          <Csrf token={csrf} />
          <TextField name="title" label="Title" required maxLength={255} value={textIn(sent, 'title')} />
          <TextField
            name="key"
            label="Key"
            value={textIn(sent, 'key')}
            required
            lines={5}
            spellcheck={false}
            mono
            note="The content of a .pub file; it starts with ssh-ed25519, ssh-rsa, ecdsa-sha2-… or sk-…"
          />
          <CheckField name="read_only" label="Read only" checked={tickIn(sent, 'read_only')} />
          <button class="btn btn-primary mt-2" type="submit">
            Add key
          </button>
        </form>
      </Section>
    </div>
  );
}

export const AppearanceForm = ({ account, csrf, path }: FormProps & { account: Account }): VNode => (
  <Section title="Appearance">
    <form method="post" action={path('/user/settings/appearance')}>
      <Csrf token={csrf} />
      <SelectField
        name="theme"
        label="Theme"
        value={account.theme || 'auto'}
        options={[
          ['auto', 'As the system'],
          ['light', 'Light'],
          ['dark', 'Dark'],
        ]}
      />
      <SelectField
        name="diff_view_style"
        label="Differences"
        value={account.diffViewStyle || 'unified'}
        options={[
          ['unified', 'Old and new below each other'],
          ['split', 'Old and new side by side'],
        ]}
      />
      <button class="btn btn-primary" type="submit">
        Save appearance
      </button>
    </form>
  </Section>
);
