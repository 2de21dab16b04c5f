import type { VNode } from 'preact';
import { CopyBlock } from '@mortise/plugin-sdk';
import { Dependencies, Homepage, type PackageView } from '@mortise/packages/api';
import type { NugetMetadata } from '../services/nuspec.js';
import { t } from '../texts/index.js';

const metadataOf = (view: Pick<PackageView, 'version'>) => view.version.metadata as unknown as NugetMetadata;

export function Instructions({ package: package_, version, owner, baseUrl }: PackageView): VNode {
  const { name } = owner;
  return (
    <>
      <p>{t('install.configure')}</p>
      <CopyBlock
        text={`dotnet nuget add source --name ${name} --username USER --password TOKEN ${baseUrl}/index.json`}
      />
      <p>{t('install.command')}</p>
      <CopyBlock text={`dotnet add package ${package_.name} --version ${version.version} --source ${name}`} />
      <p>{t('install.push')}</p>
      <CopyBlock
        text={`dotnet nuget push --source ${name} --api-key TOKEN ${package_.name}.${version.version}.nupkg`}
      />
    </>
  );
}

export function About(view: PackageView): VNode {
  const { description, authors, license, projectUrl, groups } = metadataOf(view);
  const needed = groups.filter(({ dependencies }) => dependencies.length > 0);
  return (
    <>
      {description ? <p>{description}</p> : null}
      {authors ? <p>{t('about.authors', { authors })}</p> : null}
      {license ? <p>{t('about.license', { license })}</p> : null}
      <Homepage address={projectUrl} />
      <Dependencies
        title={t('about.dependencies')}
        of={needed.flatMap(({ framework, dependencies }) =>
          dependencies.map(({ id, range }) => ({ name: id, range: [range, framework].filter(Boolean).join(' · ') })),
        )}
      />
    </>
  );
}

export const readme = (view: PackageView) => {
  const { readme: text } = metadataOf(view);
  return text?.trim() ? { fileName: 'README.md', text } : undefined;
};
