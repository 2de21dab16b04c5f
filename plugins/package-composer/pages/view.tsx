import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import type { PackageView } from '@mortise/packages/api';
import type { ComposerManifest } from '../services/archive.js';
import { t } from '../texts/index.js';

const Code = ({ text }: { text: string }): VNode => <CopyBlock text={text} label={t('install.copy')} />;
const manifestOf = (view: Pick<PackageView, 'version'>) => view.version.metadata as unknown as ComposerManifest;

function Instructions({ package: package_, version, baseUrl }: PackageView): VNode {
  return (
    <>
      <p>{t.rich('install.configure', { code: (children) => <code>{children}</code> })}</p>
      <Code text={JSON.stringify({ repositories: [{ type: 'composer', url: baseUrl }] }, null, 2)} />
      <p>{t('install.command')}</p>
      <Code text={`composer require ${package_.name}:${version.version}`} />
      <p>{t('install.upload')}</p>
      <Code text={`curl --user USER:TOKEN --upload-file package.zip ${baseUrl}`} />
    </>
  );
}

function About(view: PackageView): VNode {
  const { description, license = [], authors = [], homepage = '', require: needed = {} } = manifestOf(view);
  const names = authors.map((one) => one.name ?? one.email ?? '').filter(Boolean);
  return (
    <>
      {description ? <p>{description}</p> : null}
      {names.length > 0 ? <p>{t('about.authors', { authors: names.join(', ') })}</p> : null}
      {license.length > 0 ? <p>{t('about.license', { license: license.join(', ') })}</p> : null}
      {/^https?:\/\//i.test(homepage) ? (
        <p>
          <a href={homepage} rel="nofollow noopener">
            {homepage}
          </a>
        </p>
      ) : null}
      {Object.keys(needed).length > 0 ? (
        <section class="mb-3">
          <h3 class="h5">{t('about.dependencies')}</h3>
          <ul class="ml-3">
            {Object.entries(needed).map(([name, range]) => (
              <li key={name}>
                {name} <span class="color-fg-muted">{range}</span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

export const instructions = (view: PackageView): VNode => <Instructions {...view} />;
export const about = (view: PackageView): VNode => <About {...view} />;
export const readme = (view: PackageView) => {
  const { readme: text } = manifestOf(view);
  return text?.trim() ? { fileName: 'README.md', text } : undefined;
};
