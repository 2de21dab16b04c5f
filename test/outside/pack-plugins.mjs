#!/usr/bin/env node
// Packs the plugins of test/fixtures/outside, built against the packages of this checkout, into test/fixtures/built-plugins:
// releases to come must run them as they are (docs/releasing.md).
import { cpSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sdkVersion } from '@mortise/plugin-sdk';
import { buildPlugins, makeInstallation, outsidePlugins, root } from './kit.mjs';

const target = join(root, 'test/fixtures/built-plugins', `sdk-${sdkVersion}`);
const site = await makeInstallation();
try {
  const files = buildPlugins(
    site.server,
    outsidePlugins.map((name) => ({ name })),
  );
  mkdirSync(target, { recursive: true });
  for (const file of files) cpSync(file, join(target, basename(file)));
} finally {
  await site.close();
}
