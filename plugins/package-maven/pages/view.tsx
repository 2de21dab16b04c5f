import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import { escapeXml, type PackageView } from '@mortise/packages/api';
import type { Pom } from '../services/pom.js';
import { t } from '../texts/index.js';

const Code = ({ text }: { text: string }): VNode => <CopyBlock text={text} label={t('install.copy')} />;

function Instructions({ package: package_, version, owner, baseUrl }: PackageView): VNode {
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
      <Code text={repository} />
      <p>{t('install.dependency')}</p>
      <Code text={dependency} />
      <p>{t('install.command')}</p>
      <Code
        text={`mvn dependency:get -DremoteRepositories=${id}::::${baseUrl} -Dartifact=${package_.name}:${version.version}`}
      />
    </>
  );
}

function About({ version }: PackageView): VNode | null {
  const { description, url, licenses = [], dependencies = [] } = version.metadata as Partial<Pom>;
  return (
    <>
      {description ? <p>{description}</p> : null}
      {url ? (
        <p>
          <a href={url} rel="nofollow noopener">
            {url}
          </a>
        </p>
      ) : null}
      {licenses.length > 0 ? <p>{t('about.license', { license: licenses.join(', ') })}</p> : null}
      {dependencies.length > 0 ? (
        <section class="mb-3">
          <h3 class="h5">{t('about.dependencies')}</h3>
          <ul class="ml-3">
            {dependencies.map(({ groupId, artifactId, version: wanted }, at) => (
              <li key={at}>
                {groupId}:{artifactId} <span class="color-fg-muted">{wanted}</span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

export const instructions = (view: PackageView): VNode => <Instructions {...view} />;
export const about = (view: PackageView): VNode => <About {...view} />;
