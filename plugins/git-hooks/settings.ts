import { Joi } from '@mortise/plugin-sdk';

interface HookSettings {
  readonly DISABLE_GIT_HOOKS: boolean;
}

/** `[security]`, the part about git hooks. */
export const hookSettings = Joi.object<HookSettings>({
  DISABLE_GIT_HOOKS: Joi.boolean()
    .default(true)
    .description('No git hooks of single repositories: they run programs of their authors on this machine.'),
});
