import type { PackageTakeover, SourceFields } from '@mortise/packages/api';
import { maxNuspec, nuspecMetadata, type NugetMetadata } from '../services/nuspec.js';

const groupsOf = (dependencies: SourceFields): NugetMetadata['groups'] =>
  dependencies.names.map((framework) => ({
    framework,
    dependencies: dependencies.records(framework).map((one) => ({ id: one.text('id'), range: one.text('version') })),
  }));

/** What versions say of themselves where their description is not stored. */
const metadataOf = (fields: SourceFields): NugetMetadata => ({
  title: fields.text('title'),
  authors: fields.text('authors'),
  owners: fields.text('owners'),
  description: fields.text('description'),
  summary: fields.text('summary'),
  copyright: fields.text('copyright'),
  language: fields.text('language'),
  tags: fields.text('tags'),
  releaseNotes: fields.text('release_notes'),
  projectUrl: fields.text('project_url'),
  iconUrl: fields.text('icon_url'),
  licenseUrl: fields.text('license_url'),
  license: '',
  repositoryUrl: fields.text('repository_url'),
  requireLicenseAcceptance: fields.flag('require_license_acceptance'),
  developmentDependency: fields.flag('development_dependency'),
  minClientVersion: fields.text('min_client_version'),
  packageTypes: [],
  groups: groupsOf(fields.record('dependencies')),
});

export const nugetTakeover: PackageTakeover = {
  async version({ name, metadata, read }) {
    const nuspec = await read(`${name}.nuspec`, maxNuspec);
    const readme = metadata.text('readme');
    return { metadata: { ...(nuspec ? nuspecMetadata(nuspec) : metadataOf(metadata)), ...(readme && { readme }) } };
  },
};
