import type { VNode } from 'preact';
import { CopyBlock, shellQuote } from '@mortise/plugin-sdk';
import { Dependencies, Homepage, type PackageView } from '@mortise/packages/api';
import { placeOf } from '../services/repositories.js';
import { t } from '../texts/index.js';

export function Instructions({ package: package_, version, files, baseUrl }: PackageView): VNode {
  const places = files.map((file) => placeOf(file.compositeKey));
  const repositories = [...new Set(places.map(({ branch, repository }) => `${baseUrl}/${branch}/${repository}`))];
  const architectures = [...new Set(places.map(({ architecture }) => architecture))].sort();
  return (
    <>
      <p>{t('install.repository')}</p>
      <CopyBlock text={repositories.join('\n')} />
      <p>{t('install.key')}</p>
      <CopyBlock text={`cd /etc/apk/keys && curl -JO ${baseUrl}/key`} />
      <p>{t('install.command')}</p>
      <CopyBlock text={`apk add ${shellQuote(`${package_.name}=${version.version}`)}`} />
      <p class="color-fg-muted">{t('install.architectures', { architectures: architectures.join(', ') })}</p>
    </>
  );
}

interface StoredMetadata {
  readonly description?: string;
  readonly homepage?: string;
  readonly license?: string;
  readonly dependencies?: readonly string[];
}

export function About({ version }: PackageView): VNode {
  const { description, homepage, license, dependencies = [] } = version.metadata as StoredMetadata;
  return (
    <>
      {description ? <p>{description}</p> : null}
      <Homepage address={homepage} />
      {license ? <p>{t('about.license', { license })}</p> : null}
      <Dependencies title={t('about.dependencies')} of={dependencies.slice(0, 200)} />
    </>
  );
}
