import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import { Homepage, type PackageView } from '@mortise/packages/api';
import { isRecord } from '../services/json.js';
import { repositoryPage } from '../services/repository-address.js';
import { t } from '../texts/index.js';

/** How to point the client here and install this version. */
export function Instructions({ package: package_, version, baseUrl }: PackageView): VNode {
  const scope = package_.name.startsWith('@') ? package_.name.slice(0, package_.name.indexOf('/')) : undefined;
  return (
    <>
      <p>{t.rich('install.registry', { code: (children) => <code>{children}</code> })}</p>
      <CopyBlock text={`${scope ? `${scope}:` : ''}registry=${baseUrl}/`} />
      <p>{t('install.command')}</p>
      <CopyBlock text={`npm install ${package_.name}@${version.version}`} />
      <p>{t.rich('install.manifest', { code: (children) => <code>{children}</code> })}</p>
      <CopyBlock text={`"${package_.name}": "${version.version}"`} />
    </>
  );
}

const groups = ['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies'] as const;

/** Description and dependencies of the manifest. */
export function About({ version }: PackageView): VNode {
  const { metadata } = version;
  const repository = repositoryPage(metadata);
  const keywords = Array.isArray(metadata.keywords) ? metadata.keywords.map(String) : [];
  return (
    <>
      {typeof metadata.deprecated === 'string' ? (
        <div class="flash flash-warn mb-3">{t('about.deprecated', { reason: metadata.deprecated })}</div>
      ) : null}
      {typeof metadata.description === 'string' ? <p>{metadata.description}</p> : null}
      {typeof metadata.license === 'string' ? <p>{t('about.license', { license: metadata.license })}</p> : null}
      <Homepage address={metadata.homepage} />
      {repository ? (
        <p>
          {t('about.repository')} <Homepage address={repository} inline />
        </p>
      ) : null}
      {keywords.length ? (
        <p>
          {keywords.map((keyword) => (
            <span key={keyword} class="Label mr-1">
              {keyword}
            </span>
          ))}
        </p>
      ) : null}
      {groups.map((field) => {
        const list = metadata[field];
        if (!isRecord(list) || Object.keys(list).length === 0) return null;
        return (
          <section key={field} class="mb-3">
            <h3 class="h5">{t(`about.${field}`)}</h3>
            <ul class="ml-3">
              {Object.entries(list).map(([name, range]) => (
                <li key={name}>
                  {name} <span class="color-fg-muted">{String(range)}</span>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}

/** Elements, so that their texts are made while the page is rendered. */
export const readme = ({ version: { metadata } }: PackageView) =>
  typeof metadata.readme === 'string' && metadata.readme.trim()
    ? { fileName: 'README.md', text: metadata.readme }
    : undefined;
