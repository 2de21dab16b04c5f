import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import { Homepage, type PackageView } from '@mortise/packages/api';
import { storedOf } from '../services/releases.js';
import { t } from '../texts/index.js';

export function Instructions({ package: package_, version, baseUrl }: PackageView): VNode {
  return (
    <>
      <p>{t('install.configure')}</p>
      <CopyBlock
        text={`swift package-registry set ${baseUrl}\nswift package-registry login ${baseUrl} --username USER --password TOKEN`}
      />
      <p>{t.rich('install.command', { code: (children) => <code>{children}</code> })}</p>
      <CopyBlock text={`.package(id: "${package_.name}", from: "${version.version}")`} />
      <p>{t('install.publish')}</p>
      <CopyBlock text={`swift package-registry publish ${package_.name} ${version.version} --url ${baseUrl}`} />
    </>
  );
}

export function About({ version }: PackageView): VNode {
  const { metadata, toolsVersion, signature } = storedOf(version);
  const { description, author, license, codeRepository } = metadata;
  const name = author && (author.name || [author.givenName, author.familyName].filter(Boolean).join(' '));
  return (
    <>
      {description ? <p>{description}</p> : null}
      <p>{t('about.tools', { version: toolsVersion })}</p>
      {signature ? <p>{t('about.signed')}</p> : null}
      {name ? <p>{t('about.author', { author: name })}</p> : null}
      {license ? <p>{t('about.license', { license })}</p> : null}
      <Homepage address={codeRepository} />
    </>
  );
}
