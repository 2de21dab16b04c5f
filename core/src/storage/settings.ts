import { durationSetting, Joi } from '@mortise/plugin-sdk';
import type { SettingsRegistry } from '../settings/registry.js';

/** `[storage]`, and `[storage.NAME]` for areas that lie elsewhere. */
export interface StoragePlan {
  readonly common: Readonly<StorageSettings>;
  /** By area; what a section leaves out is as in `[storage]`. */
  readonly areas: ReadonlyMap<string, Readonly<StorageSettings>>;
}

export interface StorageSettings {
  STORAGE_TYPE: 'local' | 'minio';
  PATH: string;
  SERVE_DIRECT: boolean;
  MINIO_ENDPOINT: string;
  MINIO_ACCESS_KEY_ID: string;
  MINIO_SECRET_ACCESS_KEY: string;
  MINIO_BUCKET: string;
  MINIO_LOCATION: string;
  MINIO_BASE_PATH: string;
  MINIO_USE_SSL: boolean;
  MINIO_INSECURE_SKIP_VERIFY: boolean;
  MINIO_BUCKET_LOOKUP_TYPE: 'auto' | 'dns' | 'path';
  MINIO_CONNECT_TIMEOUT: number;
  MINIO_TIMEOUT: number;
}

const text = (value: string) => Joi.string().allow('').default(value);

/** `[storage]`: where blobs are kept. */
export const storageSettings = Joi.object<StorageSettings, true>({
  STORAGE_TYPE: Joi.string()
    .valid('local', 'minio')
    .default('local')
    .description('local disk, or minio for any S3-compatible store'),
  PATH: text('data/storage').description(
    'Folder of the local store, relative to the work directory, with a folder for each area; in [storage.AREA] the folder of that area',
  ),
  SERVE_DIRECT: Joi.boolean().default(false).description('Send downloads to the store with a signed address (minio)'),
  MINIO_ENDPOINT: text('localhost:9000').description('Host and port of the S3-compatible store'),
  MINIO_ACCESS_KEY_ID: text('').description('Access key of the store'),
  MINIO_SECRET_ACCESS_KEY: text('').description('Secret key of the store').meta({ secret: true }),
  MINIO_BUCKET: text('mortise').description('Bucket; made when missing'),
  MINIO_LOCATION: text('us-east-1').description('Region'),
  MINIO_BASE_PATH: text('').description('Put before each key in the bucket'),
  MINIO_USE_SSL: Joi.boolean().default(false).description('Use TLS to the store'),
  MINIO_INSECURE_SKIP_VERIFY: Joi.boolean().default(false).description('Accept any certificate of the store'),
  MINIO_BUCKET_LOOKUP_TYPE: Joi.string()
    .valid('auto', 'dns', 'path')
    .default('auto')
    .description('Bucket in the path or in the host name; auto: path'),
  MINIO_CONNECT_TIMEOUT: durationSetting('5s').description('How long a connection to the S3-compatible store may take'),
  MINIO_TIMEOUT: durationSetting('30s').description(
    'How long the S3-compatible store may take for an answer, and for the next bytes of content',
  ),
});

/** An area by the name of a section: that may have signs where areas have none, as `[storage.actions_log]` does. */
const areaOf = (name: string): string => name.replaceAll(/[_.]/g, '-');
/** Sections below others that are named after what they are of: `[actions.artifacts]`. */
const belowAnother = /^(?!storage\.)[\w-]+\.[\w-]+$/;

/** Reads `[storage]` and the sections of areas: those below it, or else those of that name, as `[actions.artifacts]` is. */
export function declareStorage(settingsRegistry: SettingsRegistry): StoragePlan {
  const common = settingsRegistry.declare('core', 'storage', storageSettings);
  const areas = new Map<string, Readonly<StorageSettings>>();
  const declare = (section: string, area: string) => {
    const inherited = Object.entries(common).reduce(
      (schema, [key, value]) =>
        schema.fork([key], (one) => one.default(key === 'PATH' ? `${common.PATH}/${area}` : value)),
      storageSettings,
    );
    areas.set(area, settingsRegistry.declare('core', section, inherited));
  };
  for (const name of settingsRegistry.sectionsBelow('storage.')) declare(`storage.${name}`, areaOf(name));
  for (const section of settingsRegistry.sectionsWith(new Set(Object.keys(common))))
    if (belowAnother.test(section) && !areas.has(areaOf(section))) declare(section, areaOf(section));
  return { common, areas };
}
