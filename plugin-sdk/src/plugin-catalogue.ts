import { defineService } from './references.js';

/** A plugin that the package registry has. All of its texts come from its author: nobody has checked them. */
export interface CataloguePlugin {
  readonly packageName: string;
  /** The newest. */
  readonly version: string;
  /** May be empty. One line, at most 300 characters; so is `publisher`. */
  readonly description: string;
  /** Account of the registry that published this version; may be empty. */
  readonly publisher: string;
  /** Version that is added here. */
  readonly installed?: string;
  /** It is added here in an older version. */
  readonly isUpdate: boolean;
  /** Whether `[plugins] ALLOWED` lets it be added. */
  readonly isAllowed: boolean;
}

/** Looks for plugins in the package registry of `[plugins] CATALOGUE_URL`, and never asks it by itself. */
export interface PluginCatalogue {
  /** Host of the registry; undefined where the setting names none, and then all below throws Forbidden. */
  readonly host: string | undefined;
  /** At most 50 that fit the words best, of those with the keyword `mortise-plugin`. Throws unavailable. */
  search(words: string): Promise<readonly CataloguePlugin[]>;
  /** Newer versions of the plugins that were added from a registry. Throws unavailable where none could be asked for. */
  updates(): Promise<readonly CataloguePlugin[]>;
}
export const pluginCatalogue = defineService<PluginCatalogue>('core.pluginCatalogue');
