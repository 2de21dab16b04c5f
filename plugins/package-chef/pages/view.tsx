import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import { Dependencies, Homepage, type PackageView } from '@mortise/packages/api';
import type { CookbookInfo } from '../services/cookbooks.js';
import { t } from '../texts/index.js';

export function Instructions({ package: package_, version, baseUrl }: PackageView): VNode {
  return (
    <>
      <p>{t('install.settings')}</p>
      <CopyBlock text={`knife[:supermarket_site] = '${baseUrl}'`} />
      <p>{t('install.command')}</p>
      <CopyBlock text={`knife supermarket install ${package_.name} ${version.version}`} />
    </>
  );
}

export function About({ version }: PackageView): VNode {
  const { description, maintainer, license, sourceUrl, dependencies = {} } = version.metadata as Partial<CookbookInfo>;
  return (
    <>
      {description ? <p>{description}</p> : null}
      <Homepage address={sourceUrl} />
      {maintainer ? <p>{t('about.maintainer', { maintainer })}</p> : null}
      {license ? <p>{t('about.license', { license })}</p> : null}
      <Dependencies
        title={t('about.dependencies')}
        of={Object.entries(dependencies).map(([name, range]) => ({ name, range }))}
      />
    </>
  );
}

export const readme = ({ version }: PackageView) => {
  const text = version.metadata.readme;
  return typeof text === 'string' && text ? { fileName: 'README.md', text } : undefined;
};
