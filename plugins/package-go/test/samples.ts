import { zip } from '@mortise/packages/testing';

export const name = 'example.com/Kit/tool';

export const moduleZip = (version: string, module = name, declared = module): Buffer =>
  zip({
    [`${module}@${version}/go.mod`]: `module ${declared}\n\ngo 1.19\n`,
    [`${module}@${version}/tool.go`]: `package tool\n\nconst Version = "${version}"\n`,
  });
