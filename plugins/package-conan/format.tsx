import { reply } from '@mortise/plugin-sdk';
import type { PackageFormat, PackageStore, PackageTokens } from '@mortise/packages/api';
import { About, Instructions } from './pages/view.js';
import { userRoutes } from './routes/users.js';
import { v1Routes } from './routes/v1.js';
import { v2Routes } from './routes/v2.js';
import { type, type Recipes } from './services/recipes.js';

/** Both protocols of Conan (reference: 10.8). */
export const conanFormat = (recipes: Recipes, store: PackageStore, tokens: PackageTokens): PackageFormat => ({
  key: type,
  label: 'Conan',
  takeover: async () => (await import('./takeover/conan.js')).conanTakeover,
  order: 47,
  routes: [
    ...userRoutes(1, tokens),
    ...userRoutes(2, tokens),
    ...v2Routes(recipes, store),
    ...v1Routes(recipes, store),
  ],
  error: (problem) => reply.json({ message: problem.message }, problem.status),
  instructions: Instructions,
  about: About,
});
