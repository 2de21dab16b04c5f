import type { VNode } from 'preact';
import { CopyBlock, formatSize } from '@mortise/plugin-sdk';
import type { PackageView } from '@mortise/packages/api';
import type { StoredManifest } from '../services/stored-manifest.js';
import { t } from '../texts/index.js';

const keptOf = ({ version }: PackageView) => version.metadata as unknown as StoredManifest;

export function Instructions(view: PackageView): VNode {
  const { package: package_, version, owner, baseUrl } = view;
  const { host } = new URL(baseUrl);
  const image = `${host}/${owner.name.toLowerCase()}/${package_.lowerName}`;
  const { digest } = keptOf(view);
  const isTag = version.version !== digest;
  return (
    <>
      {owner.visibility === 'public' ? null : (
        <>
          <p>{t('install.signIn')}</p>
          <CopyBlock text={`docker login ${host}`} />
        </>
      )}
      <p>{t('install.pull')}</p>
      <CopyBlock text={`docker pull ${image}${isTag ? ':' : '@'}${version.version}`} />
      {isTag && digest ? (
        <>
          <p>{t('install.digest')}</p>
          <CopyBlock text={`docker pull ${image}@${digest}`} />
        </>
      ) : null}
    </>
  );
}

export function About(view: PackageView): VNode {
  const { annotations, labels, attestations = 0, layers = [], ...kept } = keptOf(view);
  // the form stored for attestations by earlier versions
  const platforms = (kept.platforms ?? []).filter((platform) => platform !== 'unknown/unknown');
  const told = (name: string) =>
    (annotations ?? labels)?.[`org.opencontainers.image.${name}`] ?? labels?.[`org.opencontainers.image.${name}`];
  const license = told('licenses');
  return (
    <>
      {told('description') ? <p>{told('description')}</p> : null}
      {license ? <p>{t('about.license', { license })}</p> : null}
      {platforms.length > 0 ? <p>{t('about.platforms', { platforms: platforms.join(', ') })}</p> : null}
      {attestations > 0 ? <p>{t('about.attestations', { number: attestations })}</p> : null}
      {layers.length > 0 ? (
        <section class="mb-3">
          <h3 class="h5">{t('about.layers')}</h3>
          <ul class="ml-3">
            {layers.map(({ digest, size }, at) => (
              <li key={at}>
                <code>{digest.slice(0, 19)}</code> <span class="color-fg-muted">{formatSize(size)}</span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}
