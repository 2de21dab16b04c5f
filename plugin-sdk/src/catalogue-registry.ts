import type { Catalogue } from './language.js';

const catalogues = new Map<string, Catalogue>();

export const registerCatalogue = (catalogue: Catalogue): void => void catalogues.set(catalogue.name, catalogue);

/** The catalogue that was defined last by a name, in this process. */
export const findCatalogue = (name: string): Catalogue | undefined => catalogues.get(name);
