import type { VNode } from 'preact';
import { CopyBlock, shellQuote } from '@mortise/plugin-sdk';
import { Homepage, type PackageView } from '@mortise/packages/api';
import { t } from '../texts/index.js';

export function Instructions({ package: package_, version, files, baseUrl }: PackageView): VNode {
  const groups = [...new Set(files.map((file) => file.compositeKey))].sort();
  const architectures = [...new Set(files.map((file) => /\.([^.]+)\.rpm$/.exec(file.name)?.[1] ?? ''))].sort();
  const addresses = groups.map((group) => `${baseUrl}${group ? `/${group}` : ''}.repo`);
  const adding = addresses.map((address) => `dnf config-manager --add-repo ${shellQuote(address)}`);
  const wanted = `${package_.name}-${version.version.replace(/^(\d+)-(?=.*-)/, '$1:')}`;
  return (
    <>
      <p>{t('install.repository')}</p>
      <CopyBlock text={adding.join('\n')} />
      <p>{t('install.command')}</p>
      <CopyBlock text={`dnf install ${shellQuote(wanted)}`} />
      <p class="color-fg-muted">{t('install.architectures', { architectures: architectures.join(', ') })}</p>
    </>
  );
}

interface StoredMetadata {
  readonly description?: string;
  readonly homepage?: string;
  readonly license?: string;
  readonly summary?: string;
}

export function About({ version }: PackageView): VNode {
  const { summary, description, homepage, license } = version.metadata as StoredMetadata;
  return (
    <>
      {summary ? <p>{summary}</p> : null}
      {description && description !== summary ? <p class="ws-pre-wrap">{description}</p> : null}
      <Homepage address={homepage} />
      {license ? <p>{t('about.license', { license })}</p> : null}
    </>
  );
}
