import type { ComponentChildren, VNode } from 'preact';
import { CopyButton, icon, shellQuote } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

/** Where a repository is cloned from. */
export interface CloneAddresses {
  readonly http: string;
  /** Empty where nothing serves it. */
  readonly ssh: string;
  /** Page where tokens are made; empty where there are none, or nobody is signed in. */
  readonly tokens: string;
}

type Way = 'http' | 'ssh';
const waysOf = ({ ssh }: CloneAddresses): readonly Way[] => (ssh ? ['http', 'ssh'] : ['http']);
const nameOf = (method: Way, { http }: CloneAddresses) =>
  method === 'ssh' ? 'SSH' : http.startsWith('https:') ? 'HTTPS' : 'HTTP';

/** What differs by protocol, with tabs to choose one; they need no script. */
function Ways({ of, children }: { of: CloneAddresses; children: (method: Way) => ComponentChildren }): VNode {
  const ways = waysOf(of);
  return (
    <div class="clone-ways">
      <div class="BtnGroup mb-2" role="radiogroup" aria-label={t('clone.protocol')}>
        {ways.map((method) => (
          <label key={method} class="btn btn-sm BtnGroup-item">
            <input class="sr-only" type="radio" name="clone-way" value={method} checked={method === 'http'} />
            {nameOf(method, of)}
          </label>
        ))}
      </div>
      {ways.map((method) => (
        <div key={method} class={`clone-${method}`}>
          {children(method)}
        </div>
      ))}
    </div>
  );
}

const Address = ({ of, method }: { of: CloneAddresses; method: Way }): VNode => (
  <div class="d-flex flex-items-start gap-2 mb-2">
    <code class="clone-address">{of[method]}</code>
    <CopyButton text={of[method]} label={t('clone.copy', { protocol: nameOf(method, of) })} />
  </div>
);

const TokenHint = ({ of }: { of: CloneAddresses }): VNode | null =>
  of.tokens ? (
    <p class="note mb-0">
      {t('clone.token', { protocol: nameOf('http', of) })} <a href={of.tokens}>{t('clone.createToken')}</a>
    </p>
  ) : null;

/** The menu with addresses to clone. */
export function CloneBox(addresses: CloneAddresses): VNode {
  return (
    <details class="position-relative d-inline-block code-clone">
      <summary class="btn btn-sm btn-primary">
        {icon('code')} {t('clone.menu')} {icon('triangle-down')}
      </summary>
      <div class="code-menu code-menu-right clone-menu Box position-absolute mt-1 p-3 color-shadow-large">
        <h2 class="f5 mb-2">{t('clone.title')}</h2>
        <Ways of={addresses}>
          {(method) => (
            <>
              <Address of={addresses} method={method} />
              {method === 'http' ? <TokenHint of={addresses} /> : null}
            </>
          )}
        </Ways>
      </div>
    </details>
  );
}

/** How to begin, shown while there is no branch. */
export function EmptyRepository(props: {
  repository: Repository;
  addresses: CloneAddresses;
  actions: ComponentChildren;
}): VNode {
  const { repository, addresses, actions } = props;
  const branch = shellQuote(repository.defaultBranch);
  return (
    <div class="Box">
      <div class="Box-header">
        <h2 class="Box-title">{t('empty.title')}</h2>
        {actions}
      </div>
      <div class="Box-body">
        <Ways of={addresses}>
          {(method) => {
            const push = [`git remote add origin ${shellQuote(addresses[method])}`, `git push -u origin ${branch}`];
            const first = [
              `echo "# ${repository.name}" > README.md`,
              `git init -b ${branch}`,
              'git add README.md',
              'git commit -m "First commit"',
            ];
            return (
              <>
                <Address of={addresses} method={method} />
                <Commands title={t('empty.new')} lines={[...first, ...push]} />
                <Commands title={t('empty.push')} lines={push} />
                {method === 'http' ? <TokenHint of={addresses} /> : null}
              </>
            );
          }}
        </Ways>
      </div>
    </div>
  );
}

function Commands({ title, lines }: { title: string; lines: readonly string[] }): VNode {
  const text = lines.join('\n');
  return (
    <section class="mb-3">
      <div class="d-flex flex-items-center gap-2 mb-2">
        <h3 class="f4 flex-auto mb-0">{title}</h3>
        <CopyButton text={text} label={t('empty.copy')} />
      </div>
      <pre class="clone-commands mb-0 code-scroll" tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}
