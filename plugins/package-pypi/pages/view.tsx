import type { VNode } from 'preact';
import { CopyBlock, shellQuote } from '@mortise/plugin-sdk';
import { Homepage, type PackageView } from '@mortise/packages/api';
import type { Release } from '../services/upload.js';
import { t } from '../texts/index.js';

export function Instructions({ package: package_, version, baseUrl }: PackageView): VNode {
  const wanted = shellQuote(`${package_.name}==${version.version}`);
  return (
    <>
      <p>{t('install.command')}</p>
      <CopyBlock text={`pip install --index-url ${baseUrl}/simple/ ${wanted}`} />
      <p>{t('install.upload')}</p>
      <CopyBlock text={`twine upload --repository-url ${baseUrl} dist/*`} />
    </>
  );
}

export function About({ version }: PackageView): VNode {
  const { summary, license, requires_python: python, yanked, home_page: home } = version.metadata as Release;
  return (
    <>
      {yanked === undefined ? null : <div class="flash flash-warn mb-3">{t('about.yanked', { reason: yanked })}</div>}
      {summary ? <p>{summary}</p> : null}
      {python ? <p>{t('about.requires', { version: python })}</p> : null}
      {license ? <p>{t('about.license', { license })}</p> : null}
      <Homepage address={home} />
    </>
  );
}

export const readme = ({ version }: PackageView) => {
  const { description, description_content_type: kind = '' } = version.metadata as Release;
  const fileName = /markdown/i.test(kind) || !kind ? 'README.md' : /rst/i.test(kind) ? 'README.rst' : 'README.txt';
  return description?.trim() ? { fileName, text: description } : undefined;
};
