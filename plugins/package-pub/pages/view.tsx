import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import type { PackageView } from '@mortise/packages/api';
import type { KeptPackage } from '../services/pubspec.js';
import { t } from '../texts/index.js';

const Code = ({ text }: { text: string }): VNode => <CopyBlock text={text} label={t('install.copy')} />;
const keptOf = (view: Pick<PackageView, 'version'>) => view.version.metadata as unknown as KeptPackage;

function Instructions({ package: package_, version, owner, baseUrl }: PackageView): VNode {
  return (
    <>
      {owner.visibility === 'public' ? null : (
        <>
          <p>{t('install.token')}</p>
          <Code text={`dart pub token add ${baseUrl}`} />
        </>
      )}
      <p>{t('install.command')}</p>
      <Code text={`dart pub add ${package_.name}:${version.version} --hosted-url=${baseUrl}`} />
      <p>{t.rich('install.publish', { code: (children) => <code>{children}</code> })}</p>
      <Code text={`publish_to: ${baseUrl}`} />
    </>
  );
}

const entriesOf = (value: unknown): readonly (readonly [string, string])[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, range]) => [name, typeof range === 'string' ? range : ''])
    : [];

function About(view: PackageView): VNode {
  const { description, environment, dependencies, homepage } = keptOf(view).pubspec;
  const needed = entriesOf(dependencies);
  return (
    <>
      {typeof description === 'string' ? <p>{description}</p> : null}
      {entriesOf(environment).map(([name, range]) => (
        <p key={name}>{t('about.sdk', { name, range })}</p>
      ))}
      {typeof homepage === 'string' && /^https?:\/\//i.test(homepage) ? (
        <p>
          <a href={homepage} rel="nofollow noopener">
            {homepage}
          </a>
        </p>
      ) : null}
      {needed.length > 0 ? (
        <section class="mb-3">
          <h3 class="h5">{t('about.dependencies')}</h3>
          <ul class="ml-3">
            {needed.map(([name, range]) => (
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
  const { readme: text } = keptOf(view);
  return text?.trim() ? { fileName: 'README.md', text } : undefined;
};
