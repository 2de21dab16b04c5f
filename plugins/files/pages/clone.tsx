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
const nameOf = (way: Way, { http }: CloneAddresses) =>
  way === 'ssh' ? 'SSH' : http.startsWith('https:') ? 'HTTPS' : 'HTTP';

/** What differs by protocol, with tabs to choose one; they need no script. */
function Ways({ of, children }: { of: CloneAddresses; children: (way: Way) => ComponentChildren }): VNode {
  const ways = waysOf(of);
  return (
    <div class="clone-ways">
      <div class="BtnGroup mb-2" role="radiogroup" aria-label={t('clone.protocol')}>
        {ways.map((way) => (
          <label key={way} class="btn btn-sm BtnGroup-item">
            <input class="sr-only" type="radio" name="clone-way" value={way} checked={way === 'http'} />
            {nameOf(way, of)}
          </label>
        ))}
      </div>
      {ways.map((way) => (
        <div key={way} class={`clone-${way}`}>
          {children(way)}
        </div>
      ))}
    </div>
  );
}

const Address = ({ of, way }: { of: CloneAddresses; way: Way }): VNode => (
  <div class="d-flex flex-items-start gap-2 mb-2">
    <code class="clone-address">{of[way]}</code>
    <CopyButton text={of[way]} label={t('clone.copy', { protocol: nameOf(way, of) })} />
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
          {(way) => (
            <>
              <Address of={addresses} way={way} />
              {way === 'http' ? <TokenHint of={addresses} /> : null}
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
          {(way) => {
            const push = [`git remote add origin ${shellQuote(addresses[way])}`, `git push -u origin ${branch}`];
            const first = [
              `echo "# ${repository.name}" > README.md`,
              `git init -b ${branch}`,
              'git add README.md',
              'git commit -m "First commit"',
            ];
            return (
              <>
                <Address of={addresses} way={way} />
                <Commands title={t('empty.new')} lines={[...first, ...push]} />
                <Commands title={t('empty.push')} lines={push} />
                {way === 'http' ? <TokenHint of={addresses} /> : null}
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
