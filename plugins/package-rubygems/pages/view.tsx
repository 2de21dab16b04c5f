import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import { Dependencies, Homepage, type PackageView } from '@mortise/packages/api';
import type { StoredGem } from '../services/gems.js';
import { t } from '../texts/index.js';

export function Instructions({ package: package_, version, baseUrl }: PackageView): VNode {
  return (
    <>
      <p>{t('install.command')}</p>
      <CopyBlock text={`gem install ${package_.name} --version "${version.version}" --source "${baseUrl}"`} />
      <p>{t('install.bundler')}</p>
      <CopyBlock text={`source "${baseUrl}" do\n  gem "${package_.name}", "${version.version}"\nend`} />
      <p>{t('install.push')}</p>
      <CopyBlock text={`GEM_HOST_API_KEY=TOKEN gem push --host ${baseUrl} ${package_.name}-${version.version}.gem`} />
    </>
  );
}

export function About({ package: package_, version, files }: PackageView): VNode {
  const { summary, description, authors, homepage, licenses, dependencies } = version.metadata as unknown as StoredGem;
  const needed = dependencies.filter((one) => !one.isDevelopment);
  const start = `${package_.name}-${version.version}`.length;
  const platforms = files.map(({ name }) => name.slice(start + 1, -'.gem'.length) || 'ruby');
  return (
    <>
      <p>{description || summary}</p>
      {platforms.length > 1 ? <p>{t('about.platforms', { platforms: platforms.join(', ') })}</p> : null}
      {authors.length > 0 ? <p>{t('about.authors', { authors: authors.join(', ') })}</p> : null}
      {licenses.length > 0 ? <p>{t('about.license', { license: licenses.join(', ') })}</p> : null}
      <Homepage address={homepage} />
      <Dependencies
        title={t('about.dependencies')}
        of={needed.map(({ name, requirement }) => ({
          name,
          range: requirement.map((pair) => pair.join(' ')).join(', '),
        }))}
      />
    </>
  );
}
