import type { VNode } from 'preact';
import { CopyBlock, shellQuote } from '@mortise/plugin-sdk';
import { Dependencies, escapeXml, Homepage, type PackageView } from '@mortise/packages/api';
import type { Pom } from '../services/pom.js';
import { t } from '../texts/index.js';

export function Instructions({ package: package_, version, owner, baseUrl }: PackageView): VNode {
  const [group = '', artifact = ''] = package_.name.split(':');
  const id = owner.name.toLowerCase();
  const repository = `<repositories>\n  <repository>\n    <id>${id}</id>\n    <url>${baseUrl}</url>\n  </repository>\n</repositories>`;
  const dependency = [
    '<dependency>',
    `  <groupId>${escapeXml(group)}</groupId>`,
    `  <artifactId>${escapeXml(artifact)}</artifactId>`,
    `  <version>${escapeXml(version.version)}</version>`,
    '</dependency>',
  ].join('\n');
  return (
    <>
      <p>{t.rich('install.repository', { code: (children) => <code>{children}</code> })}</p>
      <CopyBlock text={repository} />
      <p>{t('install.dependency')}</p>
      <CopyBlock text={dependency} />
      <p>{t('install.command')}</p>
      <CopyBlock
        text={`mvn dependency:get -DremoteRepositories=${id}::::${baseUrl} ${shellQuote(`-Dartifact=${package_.name}:${version.version}`)}`}
      />
    </>
  );
}

export function About({ version }: PackageView): VNode | null {
  const { description, url, licenses = [], dependencies = [] } = version.metadata as Partial<Pom>;
  return (
    <>
      {description ? <p>{description}</p> : null}
      <Homepage address={url} />
      {licenses.length > 0 ? <p>{t('about.license', { license: licenses.join(', ') })}</p> : null}
      <Dependencies
        title={t('about.dependencies')}
        of={dependencies.map(({ groupId, artifactId, version: range }) => ({
          name: `${groupId}:${artifactId}`,
          range,
        }))}
      />
    </>
  );
}
