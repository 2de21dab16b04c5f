import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import { Dependencies, Homepage, type PackageView } from '@mortise/packages/api';
import type { ComposerManifest } from '../services/archive.js';
import { t } from '../texts/index.js';

const manifestOf = (view: Pick<PackageView, 'version'>) => view.version.metadata as unknown as ComposerManifest;

export function Instructions({ package: package_, version, baseUrl }: PackageView): VNode {
  return (
    <>
      <p>{t.rich('install.configure', { code: (children) => <code>{children}</code> })}</p>
      <CopyBlock text={JSON.stringify({ repositories: [{ type: 'composer', url: baseUrl }] }, null, 2)} />
      <p>{t('install.command')}</p>
      <CopyBlock text={`composer require ${package_.name}:${version.version}`} />
      <p>{t('install.upload')}</p>
      <CopyBlock text={`curl --user USER:TOKEN --upload-file package.zip ${baseUrl}`} />
    </>
  );
}

export function About(view: PackageView): VNode {
  const { description, license = [], authors = [], homepage = '', require: needed = {} } = manifestOf(view);
  const names = authors.map((one) => one.name ?? one.email ?? '').filter(Boolean);
  return (
    <>
      {description ? <p>{description}</p> : null}
      {names.length > 0 ? <p>{t('about.authors', { authors: names.join(', ') })}</p> : null}
      {license.length > 0 ? <p>{t('about.license', { license: license.join(', ') })}</p> : null}
      <Homepage address={homepage} />
      <Dependencies
        title={t('about.dependencies')}
        of={Object.entries(needed).map(([name, range]) => ({ name, range }))}
      />
    </>
  );
}

export const readme = (view: PackageView) => {
  const { readme: text } = manifestOf(view);
  return text?.trim() ? { fileName: 'README.md', text } : undefined;
};
