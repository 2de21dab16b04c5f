import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import type { PackageView } from '@mortise/packages/api';
import type { BoxInfo } from '../services/boxes.js';
import { t } from '../texts/index.js';

export function Instructions({ package: package_, version, files, baseUrl }: PackageView): VNode {
  const providers = files.map((file) => file.name.replace(/\.box$/, ''));
  return (
    <>
      <p>{t('install.command')}</p>
      <CopyBlock text={`vagrant box add --box-version ${version.version} "${baseUrl}/${package_.name}"`} />
      <p class="color-fg-muted">{t('install.providers', { providers: providers.join(', ') })}</p>
    </>
  );
}

export function About({ version }: PackageView): VNode {
  const { description, author, website, repository } = version.metadata as BoxInfo;
  return (
    <>
      {description ? <p class="ws-pre-wrap">{description}</p> : null}
      {author ? <p>{t('about.author', { author })}</p> : null}
      {[website, repository].map((link) =>
        link ? (
          <p key={link}>
            <a href={link} rel="nofollow noopener">
              {link}
            </a>
          </p>
        ) : null,
      )}
    </>
  );
}
