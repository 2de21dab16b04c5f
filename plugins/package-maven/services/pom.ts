import { BadRequest } from '@mortise/plugin-sdk';
import { readXml, xmlChild, xmlText, type XmlElement } from '@mortise/packages/api';

/** Stored fields of a project description. */
export interface Pom {
  readonly groupId: string;
  readonly artifactId: string;
  readonly version: string;
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly licenses: readonly string[];
  readonly dependencies: readonly { readonly groupId: string; readonly artifactId: string; readonly version: string }[];
}

const list = (element: XmlElement | undefined, name: string) =>
  element?.children.filter((child) => child.name === name) ?? [];
const web = (text: string) => (/^https?:\/\//i.test(text) ? text : '');

export function readPom(content: Buffer): Pom {
  const project = readXml(content.toString('utf8'));
  if (project.name !== 'project') throw BadRequest('The description of the artifact is no Maven project.');
  const parent = xmlChild(project, 'parent');
  const groupId = xmlText(project, 'groupId') || xmlText(parent, 'groupId');
  const artifactId = xmlText(project, 'artifactId');
  if (!groupId || !artifactId) throw BadRequest('The description of the artifact names no group or artifact.');
  return {
    groupId,
    artifactId,
    version: xmlText(project, 'version') || xmlText(parent, 'version'),
    name: xmlText(project, 'name'),
    description: xmlText(project, 'description'),
    url: web(xmlText(project, 'url')),
    licenses: list(xmlChild(project, 'licenses'), 'license')
      .map((one) => xmlText(one, 'name'))
      .filter(Boolean),
    dependencies: list(xmlChild(project, 'dependencies'), 'dependency')
      .slice(0, 1000)
      .map((one) => ({
        groupId: xmlText(one, 'groupId'),
        artifactId: xmlText(one, 'artifactId'),
        version: xmlText(one, 'version'),
      })),
  };
}
