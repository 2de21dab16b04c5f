import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import type { PackageView } from '@mortise/packages/api';
import type { KeptGem } from '../services/gems.js';
import { t } from '../texts/index.js';

const Code = ({ text }: { text: string }): VNode => <CopyBlock text={text} label={t('install.copy')} />;

function Instructions({ package: package_, version, baseUrl }: PackageView): VNode {
  return (
    <>
      <p>{t('install.command')}</p>
      <Code text={`gem install ${package_.name} --version "${version.version}" --source "${baseUrl}"`} />
      <p>{t('install.bundler')}</p>
      <Code text={`source "${baseUrl}" do\n  gem "${package_.name}", "${version.version}"\nend`} />
      <p>{t('install.push')}</p>
      <Code text={`GEM_HOST_API_KEY=TOKEN gem push --host ${baseUrl} ${package_.name}-${version.version}.gem`} />
    </>
  );
}

function About({ package: package_, version, files }: PackageView): VNode {
  const { summary, description, authors, homepage, licenses, dependencies } = version.metadata as unknown as KeptGem;
  const needed = dependencies.filter((one) => !one.isDevelopment);
  const start = `${package_.name}-${version.version}`.length;
  const platforms = files.map(({ name }) => name.slice(start + 1, -'.gem'.length) || 'ruby');
  return (
    <>
      <p>{description || summary}</p>
      {platforms.length > 1 ? <p>{t('about.platforms', { platforms: platforms.join(', ') })}</p> : null}
      {authors.length > 0 ? <p>{t('about.authors', { authors: authors.join(', ') })}</p> : null}
      {licenses.length > 0 ? <p>{t('about.license', { license: licenses.join(', ') })}</p> : null}
      {/^https?:\/\//i.test(homepage) ? (
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
            {needed.map(({ name, requirement }) => (
              <li key={name}>
                {name} <span class="color-fg-muted">{requirement.map((pair) => pair.join(' ')).join(', ')}</span>
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
