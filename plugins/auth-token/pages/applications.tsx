import { CheckField, Csrf, PostButton, Section, TextField, type TokenCategory } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { AccessToken } from '../api.js';

interface Props {
  readonly tokens: readonly AccessToken[];
  /** Shown once, right after it was made. */
  readonly secret?: string;
  readonly categories: readonly TokenCategory[];
  readonly csrf: string;
  readonly path: (path: string) => string;
  /** The form, when it was refused: it is shown again. */
  readonly sent?: Readonly<Record<string, unknown>>;
}

const levels = [
  ['', 'Nothing'],
  ['read', 'Read'],
  ['write', 'Read and write'],
  ['delete', 'Read, write and delete'],
] as const;
const day = (at: number) => new Date(at).toISOString().slice(0, 10);

function TokenList({ tokens, csrf, path }: Props): VNode {
  if (tokens.length === 0) {
    return (
      <div class="blankslate border rounded-2">
        <h3 class="blankslate-heading">No access tokens yet</h3>
        <p>Programs use a token in the place of your password, with the rights that you choose.</p>
      </div>
    );
  }
  return (
    <div class="Box">
      {tokens.map((token) => (
        <div class="Box-row d-flex flex-items-center" key={token.id}>
          <div class="flex-auto">
            <strong>{token.name}</strong> <span class="text-mono color-fg-muted">…{token.lastEight}</span>
            <div class="my-1">
              {token.scopes.map((scope) => (
                <span class="Label mr-1" key={scope}>
                  {scope}
                </span>
              ))}
            </div>
            <div class="f6 color-fg-muted">
              Made {day(token.createdAt)}
              {token.lastUsedAt > token.createdAt ? ` · last used ${day(token.lastUsedAt)}` : ' · never used'}
            </div>
          </div>
          <PostButton
            action={path('/user/settings/applications/delete')}
            csrf={csrf}
            fields={{ id: token.id }}
            label={`Delete the token ${token.name}`}
            confirm={`Delete the token ${token.name}? Programs that use it are locked out.`}
            danger
          >
            Delete
          </PostButton>
        </div>
      ))}
    </div>
  );
}

export function Applications(props: Props): VNode {
  const { secret, categories, csrf, path, sent = {} } = props;
  return (
    <div>
      {secret ? (
        <div class="flash flash-success mb-4">
          <p class="mb-1">Copy the new token now; it is not shown again.</p>
          <input class="form-control input-block text-mono" value={secret} readonly aria-label="New token" autofocus />
        </div>
      ) : null}
      <Section title="Access tokens">
        <TokenList {...props} />
      </Section>
      <Section title="Make a token">
        <form method="post" action={path('/user/settings/applications')}>
          <Csrf token={csrf} />
          <TextField
            name="name"
            label="Name"
            required
            maxLength={255}
            placeholder="What is it for?"
            value={String(sent.name ?? '')}
          />
          <fieldset class="my-3">
            <legend class="text-semibold mb-2">What it may do</legend>
            <div class="Box">
              {categories.map((category) => (
                <div class="Box-row py-2 d-flex flex-items-center flex-justify-between" key={category}>
                  <label for={`scope-${category}`}>{category}</label>
                  <select class="form-select select-sm" id={`scope-${category}`} name={`scope_${category}`}>
                    {levels.map(([value, label]) => (
                      <option key={value} value={value} selected={value === String(sent[`scope_${category}`] ?? '')}>
                        {label}
                      </option>
                    ))}
                  </select>
                </div>
              ))}
            </div>
          </fieldset>
          <CheckField
            name="public_only"
            label="Only public repositories and organizations"
            checked={sent.public_only === 'true'}
          />
          <button class="btn btn-primary mt-2" type="submit">
            Make token
          </button>
        </form>
      </Section>
    </div>
  );
}
