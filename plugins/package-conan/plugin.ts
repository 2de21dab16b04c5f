import { definePlugin, fromPackage, defineService } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, packageTokens, sizeLimit } from '@mortise/packages/api';
import { conanFormat } from './format.js';
import { Recipes } from './services/recipes.js';

const recipes = defineService<Recipes>('package-conan.recipes');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [recipes],

  register(host) {
    host.service(recipes, { packageStore }, (services) => new Recipes(services.packageStore));
    host.settings('packages', sizeLimit('conan'));
    host.contribute(packageFormats, { recipes, packageStore, packageTokens }, (services) =>
      conanFormat(services.recipes, services.packageStore, services.packageTokens),
    );
  },
});
