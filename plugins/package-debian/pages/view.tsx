import type { VNode } from 'preact';
import { CopyBlock, shellQuote } from '@mortise/plugin-sdk';
import { Dependencies, Homepage, type PackageView } from '@mortise/packages/api';
import { placeOf } from '../services/repositories.js';
import { t } from '../texts/index.js';

export function Instructions({ package: package_, version, files, baseUrl, owner }: PackageView): VNode {
  const key = `/etc/apt/keyrings/mortise-${owner.name.toLowerCase()}.asc`;
  const places = files.map((file) => placeOf(file.compositeKey));
  const lines = places.map((at) => `deb [signed-by=${key}] ${baseUrl} ${at.distribution} ${at.component}`);
  const sources = [...new Set(lines)]
    .sort()
    .map((line) => `echo "${line}" | sudo tee -a /etc/apt/sources.list.d/mortise.list`);
  const architectures = [...new Set(files.map((file) => /_([^_]+)\.deb$/.exec(file.name)?.[1] ?? ''))].sort();
  return (
    <>
      <p>{t('install.key')}</p>
      <CopyBlock text={`sudo curl ${baseUrl}/repository.key -o ${key}`} />
      <p>{t('install.repository')}</p>
      <CopyBlock text={sources.join('\n')} />
      <p>{t('install.command')}</p>
      <CopyBlock text={`sudo apt update && sudo apt install ${shellQuote(`${package_.name}=${version.version}`)}`} />
      <p class="color-fg-muted">{t('install.architectures', { architectures: architectures.join(', ') })}</p>
    </>
  );
}

interface StoredMetadata {
  readonly description?: string;
  readonly homepage?: string;
  readonly maintainer?: string;
  readonly dependencies?: readonly string[];
}

export function About({ version }: PackageView): VNode {
  const { description, homepage, maintainer, dependencies = [] } = version.metadata as StoredMetadata;
  return (
    <>
      {description ? <p class="ws-pre-wrap">{description}</p> : null}
      <Homepage address={homepage} />
      {maintainer ? <p>{t('about.maintainer', { maintainer })}</p> : null}
      <Dependencies title={t('about.dependencies')} of={dependencies} />
    </>
  );
}
