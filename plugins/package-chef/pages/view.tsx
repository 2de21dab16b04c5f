import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import type { PackageView } from '@mortise/packages/api';
import type { CookbookInfo } from '../services/cookbooks.js';
import { t } from '../texts/index.js';

const Code = ({ text }: { text: string }): VNode => <CopyBlock text={text} label={t('install.copy')} />;

function Instructions({ package: package_, version, baseUrl }: PackageView): VNode {
  return (
    <>
      <p>{t('install.settings')}</p>
      <Code text={`knife[:supermarket_site] = '${baseUrl}'`} />
      <p>{t('install.command')}</p>
      <Code text={`knife supermarket install ${package_.name} ${version.version}`} />
    </>
  );
}

function About({ version }: PackageView): VNode {
  const { description, maintainer, license, sourceUrl, dependencies = {} } = version.metadata as Partial<CookbookInfo>;
  return (
    <>
      {description ? <p>{description}</p> : null}
      {sourceUrl ? (
        <p>
          <a href={sourceUrl} rel="nofollow noopener">
            {sourceUrl}
          </a>
        </p>
      ) : null}
      {maintainer ? <p>{t('about.maintainer', { maintainer })}</p> : null}
      {license ? <p>{t('about.license', { license })}</p> : null}
      {Object.keys(dependencies).length > 0 ? (
        <section class="mb-3">
          <h3 class="h5">{t('about.dependencies')}</h3>
          <ul class="ml-3">
            {Object.entries(dependencies).map(([name, constraint]) => (
              <li key={name}>
                {name} {constraint}
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
export const readme = ({ version }: PackageView) => {
  const text = version.metadata.readme;
  return typeof text === 'string' && text ? { fileName: 'README.md', text } : undefined;
};
