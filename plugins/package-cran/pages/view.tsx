import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import { Dependencies, type PackageView } from '@mortise/packages/api';
import type { CranInfo } from '../services/description.js';
import { binaryOf } from '../services/repositories.js';
import { t } from '../texts/index.js';

export function Instructions({ package: package_, owner, files, baseUrl }: PackageView): VNode {
  const kinds = files.flatMap((file) => {
    const binary = binaryOf(file.compositeKey);
    return binary ? [`${binary.platform} (R ${binary.rVersion})`] : [];
  });
  const key = owner.name.replace(/\W/g, '_');
  return (
    <>
      <p>{t('install.repository')}</p>
      <CopyBlock text={`options(repos = c(getOption("repos"), "${key}" = "${baseUrl}"))`} />
      <p>{t('install.command')}</p>
      <CopyBlock text={`install.packages("${package_.name}")`} />
      {kinds.length > 0 ? (
        <p class="color-fg-muted">{t('install.binaries', { kinds: [...new Set(kinds)].join(', ') })}</p>
      ) : null}
    </>
  );
}

export function About({ version }: PackageView): VNode {
  const { title, description, urls, license, author, depends, imports } = version.metadata as unknown as CranInfo;
  const needed = [depends, imports].flatMap((text) => text.split(/\s*,\s*/).filter(Boolean));
  return (
    <>
      {title ? <p class="text-bold">{title}</p> : null}
      {description ? <p>{description}</p> : null}
      {urls.map((url) => (
        <p key={url}>
          <a href={url} rel="nofollow noopener">
            {url}
          </a>
        </p>
      ))}
      {author ? <p>{t('about.author', { author })}</p> : null}
      {license ? <p>{t('about.license', { license })}</p> : null}
      <Dependencies title={t('about.dependencies')} of={needed.slice(0, 200)} />
    </>
  );
}
