import type { VNode } from 'preact';
import { CopyBlock, shellQuote } from '@mortise/plugin-sdk';
import { Dependencies, Homepage, type PackageView } from '@mortise/packages/api';
import { channelAndSubdir } from '../services/channels.js';
import { t } from '../texts/index.js';

export function Instructions({ package: package_, version, files, baseUrl }: PackageView): VNode {
  const places = files.map((file) => channelAndSubdir(file.compositeKey));
  const channel = places[0]?.channel ?? '';
  const name = package_.name.slice(channel ? channel.length + 1 : 0);
  const address = channel ? `${baseUrl}/${channel}` : baseUrl;
  const subdirs = [...new Set(places.map(({ subdir }) => subdir))].sort();
  return (
    <>
      <p>{t('install.channel')}</p>
      <CopyBlock text={`channel_alias: ${baseUrl}\nchannels:\n  - ${address}`} />
      <p>{t('install.command')}</p>
      <CopyBlock text={`conda install ${shellQuote(`${name}=${version.version}`)} -c ${address}`} />
      <p class="color-fg-muted">{t('install.platforms', { platforms: subdirs.join(', ') })}</p>
    </>
  );
}

interface StoredMetadata {
  readonly summary?: string;
  readonly description?: string;
  readonly homepage?: string;
  readonly license?: string;
  readonly dependencies?: readonly string[];
}

export function About({ version }: PackageView): VNode {
  const { summary, description, homepage, license, dependencies = [] } = version.metadata as StoredMetadata;
  return (
    <>
      {summary ? <p>{summary}</p> : null}
      {description && description !== summary ? <p class="ws-pre-wrap">{description}</p> : null}
      <Homepage address={homepage} />
      {license ? <p>{t('about.license', { license })}</p> : null}
      <Dependencies title={t('about.dependencies')} of={dependencies} />
    </>
  );
}
