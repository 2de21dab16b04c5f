import { gzipSync } from 'node:zlib';
import { tar, tgz } from '@mortise/packages/testing';

export interface GemFields {
  readonly platform?: string;
  /** Lines that replace those for the dependencies. */
  readonly dependencies?: string;
  /** Instead of all that is said of the gem. */
  readonly metadata?: string;
}

export const metadata = (name: string, version: string, { platform = 'ruby', dependencies }: GemFields = {}): string =>
  `--- !ruby/object:Gem::Specification
name: ${name}
version: !ruby/object:Gem::Version
  version: ${version}
platform: ${platform}
authors:
- Ada
autorequire:
date: 2024-03-01 00:00:00.000000000 Z
${dependencies ?? 'dependencies: []'}
description: made for a test
email:
- ada@example.com
files:
- lib/tool.rb
homepage: https://example.com/tool
licenses:
- MIT
metadata:
  source_code_uri: https://example.com/code
required_ruby_version: !ruby/object:Gem::Requirement
  requirements:
  - - ">="
    - !ruby/object:Gem::Version
      version: 2.7.0
required_rubygems_version: !ruby/object:Gem::Requirement
  requirements:
  - - ">="
    - !ruby/object:Gem::Version
      version: '0'
rubygems_version: 3.4.0
specification_version: 4
summary: a tool
test_files: []
`;

export const dependency = (name: string, operator: string, version: string): string => `dependencies:
- !ruby/object:Gem::Dependency
  name: ${name}
  requirement: &1 !ruby/object:Gem::Requirement
    requirements:
    - - "${operator}"
      - !ruby/object:Gem::Version
        version: '${version}'
  type: :runtime
  prerelease: false
  version_requirements: *1`;

export const gem = (name: string, version: string, fields: GemFields = {}): Buffer =>
  tar({
    'metadata.gz': gzipSync(fields.metadata ?? metadata(name, version, fields), { level: 1 }),
    'data.tar.gz': tgz({ 'lib/tool.rb': '' }),
  });
