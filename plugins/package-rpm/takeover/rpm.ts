import { brief, inPieces, SourceFields, type PackageTakeover } from '@mortise/packages/api';
import { describeFields } from '../services/describe.js';
import { property } from '../services/metadata.js';

/** Kinds of relations by their names there. */
const relations = { provides: 'provide', requires: 'require', conflicts: 'conflict', obsoletes: 'obsolete' };

export const rpmTakeover: PackageTakeover = {
  version: ({ metadata }) => ({
    metadata: brief({
      summary: metadata.text('summary'),
      description: metadata.text('description'),
      homepage: metadata.text('project_url'),
      license: metadata.text('license'),
    }),
  }),
  file(file) {
    const { name, version: label, metadata } = file.package;
    const fields = SourceFields.parse(file.property('rpm.metadata'));
    const architecture = fields.text('architecture') || file.property('rpm.architecture');
    const xml = describeFields(
      {
        name,
        epoch: fields.text('epoch') || '0',
        version: fields.text('version'),
        release: fields.text('release'),
        architecture,
        summary: metadata.text('summary'),
        description: metadata.text('description'),
        homepage: metadata.text('project_url'),
        license: metadata.text('license'),
        packager: fields.text('packager'),
        vendor: fields.text('vendor'),
        group: fields.text('group'),
        buildHost: fields.text('build_host'),
        sourceRpm: fields.text('source_rpm'),
        built: fields.number('build_time'),
        installed: fields.number('installed_size'),
        relations: Object.entries(relations).map(([kind, there]) => ({
          kind,
          entries: fields.records(there).map((one) => ({
            name: one.text('name'),
            flags: one.text('flags') || undefined,
            epoch: one.text('epoch') || undefined,
            ver: one.text('version') || undefined,
            rel: one.text('release') || undefined,
          })),
        })),
        files: fields.records('files').map((one) => ({
          path: one.text('path'),
          kind:
            one.text('type') === 'dir' || one.text('type') === 'ghost' ? (one.text('type') as 'dir' | 'ghost') : 'file',
          isExecutable: one.flag('is_executable'),
        })),
        changelogs: fields.records('changelogs').map((one) => ({
          author: one.text('author'),
          date: one.number('date'),
          text: one.text('text'),
        })),
      },
      {
        location: `package/${name}/${label}/${architecture}/${file.name}`,
        sha256: file.sha256,
        size: file.size,
        time: fields.number('file_time'),
        archiveSize: fields.number('archive_size'),
      },
    );
    return { properties: { [property]: inPieces(JSON.stringify(xml)) } };
  },
};
