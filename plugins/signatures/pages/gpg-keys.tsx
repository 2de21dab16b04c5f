import type { VNode } from 'preact';
import { Csrf, PostButton, Section, TextField } from '@mortise/plugin-sdk';
import type { EmailAddress } from '@mortise/accounts/api';
import type { GpgKey } from '../api.js';
import { ownAddresses } from '../services/show-key.js';

interface Props {
  readonly keys: readonly GpgKey[];
  readonly emails: readonly EmailAddress[];
  readonly token: string;
  readonly csrf: string;
  readonly path: (path: string) => string;
  /** What was sent and refused. */
  readonly draft?: { readonly key?: string; readonly signature?: string };
}

const day = (at: number) => new Date(at).toISOString().slice(0, 10);
/** In groups of four, as gpg shows it. */
const grouped = (fingerprint: string) => fingerprint.match(/.{1,4}/g)?.join(' ') ?? fingerprint;

const Signing = ({ token, keyId }: { token: string; keyId?: string }): VNode => (
  <pre class="p-2 color-bg-subtle rounded-2 f6" style="white-space: pre-wrap; overflow-wrap: anywhere">
    {`echo "${token}" | gpg -a ${keyId ? `--default-key ${keyId} ` : ''}--detach-sig`}
  </pre>
);

const signatureHint = '-----BEGIN PGP SIGNATURE-----';

function Prove({ item, token, csrf, path }: { item: GpgKey } & Pick<Props, 'token' | 'csrf' | 'path'>): VNode {
  return (
    <details class="mt-2">
      <summary class="Link--primary f6">Prove that this key is yours</summary>
      <form method="post" action={path('/user/settings/gpg_keys/verify')} class="mt-2">
        <Csrf token={csrf} />
        <input type="hidden" name="key_id" value={item.keyId} />
        <p class="f6 color-fg-muted mb-1">
          Sign this text and paste the result. Then the key counts for all your verified addresses.
        </p>
        <Signing token={token} keyId={item.keyId} />
        <TextField
          id={`signature-${item.id}`}
          name="signature"
          label="Signature"
          required
          lines={4}
          mono
          spellcheck={false}
          placeholder={signatureHint}
        />
        <button class="btn btn-sm" type="submit">
          Verify
        </button>
      </form>
    </details>
  );
}

function KeyRow(props: { item: GpgKey } & Pick<Props, 'emails' | 'token' | 'csrf' | 'path'>): VNode {
  const { item, emails, csrf, path } = props;
  const expired = item.expiresAt > 0 && item.expiresAt < Date.now();
  const addresses = ownAddresses(item, emails);
  return (
    <li class="Box-row">
      <div class="d-flex flex-items-start">
        <div class="flex-auto min-width-0">
          <strong class="text-mono">{item.keyId}</strong>{' '}
          {item.verified ? <span class="Label Label--success">Verified</span> : null}{' '}
          {expired ? <span class="Label Label--danger">Expired</span> : null}
          <div class="f6">{addresses.map((one) => one.email).join(', ') || 'No address of yours in it'}</div>
          <div class="text-mono f6 color-fg-muted" style="overflow-wrap: anywhere">
            {grouped(item.fingerprint)}
          </div>
          {item.subkeys.length > 0 ? (
            <div class="f6 color-fg-muted">
              Subkeys: <span class="text-mono">{item.subkeys.map((one) => one.keyId).join(', ')}</span>
            </div>
          ) : null}
          <div class="f6 color-fg-muted">
            Added {day(item.addedAt)}
            {item.expiresAt > 0 ? ` · ${expired ? 'expired' : 'valid until'} ${day(item.expiresAt)}` : ''}
          </div>
          {item.verified ? null : <Prove {...props} />}
        </div>
        <PostButton
          action={path('/user/settings/gpg_keys/delete')}
          csrf={csrf}
          fields={{ id: item.id }}
          label={`Delete the key ${item.keyId}`}
          danger
          formClass="ml-2"
          confirm="Delete this key? What was signed with it is no longer shown as verified."
        >
          Delete
        </PostButton>
      </div>
    </li>
  );
}

/** GPG keys in the settings of an account. */
export const GpgKeyForms = (props: Props): VNode => (
  <div>
    <Section title="GPG keys">
      {props.keys.length === 0 ? (
        <div class="blankslate border rounded-2 mb-3">
          <h3 class="blankslate-heading">No GPG keys yet</h3>
          <p>Commits and tags that you sign with a key listed here are shown as verified.</p>
        </div>
      ) : (
        <ul class="Box mb-3 list-style-none">
          {props.keys.map((item) => (
            <KeyRow key={item.id} {...props} item={item} />
          ))}
        </ul>
      )}
    </Section>
    <Section title="Add a key">
      <form method="post" action={props.path('/user/settings/gpg_keys')}>
        <Csrf token={props.csrf} />
        <TextField
          id="gpg-key"
          name="key"
          label="Public key"
          value={props.draft?.key}
          required
          lines={8}
          mono
          spellcheck={false}
          placeholder="-----BEGIN PGP PUBLIC KEY BLOCK-----"
          note={
            <>
              What <code>gpg --armor --export KEYID</code> prints.
            </>
          }
        />
        <details open={Boolean(props.draft)}>
          <summary class="Link--primary">The key names none of my addresses</summary>
          <p class="f6 color-fg-muted mt-2 mb-1">Then prove that you hold it: sign this text and paste the result.</p>
          <Signing token={props.token} />
          <TextField
            id="gpg-signature"
            name="signature"
            label="Signature"
            value={props.draft?.signature}
            lines={5}
            mono
            spellcheck={false}
            placeholder={signatureHint}
          />
        </details>
        <button class="btn btn-primary mt-3" type="submit">
          Add key
        </button>
      </form>
    </Section>
  </div>
);
