import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import type { PackageView } from '@mortise/packages/api';
import { placeOf } from '../services/channels.js';
import { t } from '../texts/index.js';

const Code = ({ text }: { text: string }): VNode => <CopyBlock text={text} label={t('install.copy')} />;

function Instructions({ package: package_, version, files, baseUrl }: PackageView): VNode {
  const places = files.map((file) => placeOf(file.compositeKey));
  const channel = places[0]?.channel ?? '';
  const name = package_.name.slice(channel ? channel.length + 1 : 0);
  const address = channel ? `${baseUrl}/${channel}` : baseUrl;
  const subdirs = [...new Set(places.map(({ subdir }) => subdir))].sort();
  return (
    <>
      <p>{t('install.channel')}</p>
      <Code text={`channel_alias: ${baseUrl}\nchannels:\n  - ${address}`} />
      <p>{t('install.command')}</p>
      <Code text={`conda install ${name}=${version.version} -c ${address}`} />
      <p class="color-fg-muted">{t('install.platforms', { platforms: subdirs.join(', ') })}</p>
    </>
  );
}

interface Kept {
  readonly summary?: string;
  readonly description?: string;
  readonly homepage?: string;
  readonly license?: string;
  readonly dependencies?: readonly string[];
}

function About({ version }: PackageView): VNode {
  const { summary, description, homepage, license, dependencies = [] } = version.metadata as Kept;
  return (
    <>
      {summary ? <p>{summary}</p> : null}
      {description && description !== summary ? <p class="ws-pre-wrap">{description}</p> : null}
      {homepage ? (
        <p>
          <a href={homepage} rel="nofollow noopener">
            {homepage}
          </a>
        </p>
      ) : null}
      {license ? <p>{t('about.license', { license })}</p> : null}
      {dependencies.length > 0 ? (
        <section class="mb-3">
          <h3 class="h5">{t('about.dependencies')}</h3>
          <ul class="ml-3">
            {dependencies.map((one, at) => (
              <li key={at}>{one}</li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

export const instructions = (view: PackageView): VNode => <Instructions {...view} />;
export const about = (view: PackageView): VNode => <About {...view} />;
