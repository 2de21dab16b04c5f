import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import { Dependencies, Homepage, type PackageView } from '@mortise/packages/api';
import type { StoredPackage } from '../services/pubspec.js';
import { t } from '../texts/index.js';

const storedOf = (view: Pick<PackageView, 'version'>) => view.version.metadata as unknown as StoredPackage;

export function Instructions({ package: package_, version, owner, baseUrl }: PackageView): VNode {
  return (
    <>
      {owner.visibility === 'public' ? null : (
        <>
          <p>{t('install.token')}</p>
          <CopyBlock text={`dart pub token add ${baseUrl}`} />
        </>
      )}
      <p>{t('install.command')}</p>
      <CopyBlock text={`dart pub add ${package_.name}:${version.version} --hosted-url=${baseUrl}`} />
      <p>{t.rich('install.publish', { code: (children) => <code>{children}</code> })}</p>
      <CopyBlock text={`publish_to: ${baseUrl}`} />
    </>
  );
}

const entriesOf = (value: unknown): readonly (readonly [string, string])[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, range]) => [name, typeof range === 'string' ? range : ''])
    : [];

export function About(view: PackageView): VNode {
  const { description, environment, dependencies, homepage } = storedOf(view).pubspec;
  const needed = entriesOf(dependencies);
  return (
    <>
      {typeof description === 'string' ? <p>{description}</p> : null}
      {entriesOf(environment).map(([name, range]) => (
        <p key={name}>{t('about.sdk', { name, range })}</p>
      ))}
      <Homepage address={homepage} />
      <Dependencies title={t('about.dependencies')} of={needed.map(([name, range]) => ({ name, range }))} />
    </>
  );
}

export const readme = (view: PackageView) => {
  const { readme: text } = storedOf(view);
  return text?.trim() ? { fileName: 'README.md', text } : undefined;
};
