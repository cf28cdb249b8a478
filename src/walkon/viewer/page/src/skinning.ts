/** Posing vertices on the graphics card: joints come as two float textures, and each instance is a character's row.

    world = p(joint) + R(slerp(joint, other, share)) local × scale

Row r, joint j is texel r J + j. Used by the material that is seen and by the one that casts shadows alike. */

import {
  DoubleSide,
  FrontSide,
  MeshDepthMaterial,
  MeshLambertMaterial,
  type DataTexture,
  type IUniform,
  type Material,
} from "three";

/** Textures are this wide; what is longer goes on in the next row. */
export const TEXTURE_WIDTH = 2048;
/** Colours per character. */
export const PALETTE_SIZE = 5;

export interface SkinningUniforms extends Record<string, IUniform> {
  jointPlaces: IUniform<DataTexture>;
  jointTurns: IUniform<DataTexture>;
  palettes: IUniform<DataTexture>;
  jointCount: IUniform<number>;
}

const PARS = /* glsl */ `
uniform highp sampler2D jointPlaces;
uniform highp sampler2D jointTurns;
uniform highp sampler2D palettes;
uniform int jointCount;
attribute float row;
attribute vec4 holds;
varying vec3 vDress;

vec4 texelOf(highp sampler2D from, int index) {
  return texelFetch(from, ivec2(index & ${TEXTURE_WIDTH - 1}, index >> ${Math.log2(TEXTURE_WIDTH)}), 0);
}
vec3 turned(vec4 q, vec3 v) {
  return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v);
}
vec4 heldTurn() {
  int first = int(row + 0.5) * jointCount;
  vec4 own = texelOf(jointTurns, first + int(holds.x + 0.5));
  if (holds.z > 0.0) {
    vec4 other = texelOf(jointTurns, first + int(holds.y + 0.5));
    other = dot(own, other) < 0.0 ? -other : other;
    own = normalize(mix(own, other, holds.z));
  }
  return own;
}
`;

const PLACE = /* glsl */ `
int person = int(row + 0.5);
float size = texelOf(palettes, person * ${PALETTE_SIZE}).a;
vec3 transformed = texelOf(jointPlaces, person * jointCount + int(holds.x + 0.5)).xyz + turned(heldTurn(), position * size);
float cloth = floor(holds.w);
float shade = 2.0 * (holds.w - cloth);
vDress = texelOf(palettes, person * ${PALETTE_SIZE} + int(cloth)).rgb * shade;
`;

function skinned<M extends Material>(material: M, uniforms: SkinningUniforms): M {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("void main() {", `${PARS}\nvoid main() {`)
      .replace("#include <beginnormal_vertex>", "vec3 objectNormal = turned(heldTurn(), normal);")
      .replace("#include <begin_vertex>", PLACE);
    shader.fragmentShader = shader.fragmentShader
      .replace("void main() {", "varying vec3 vDress;\nvoid main() {")
      .replace("#include <color_fragment>", "diffuseColor.rgb *= vDress;");
  };
  material.customProgramCacheKey = () => "walkon-skinned";
  return material;
}

/** The material of bodies. */
export function bodyMaterial(uniforms: SkinningUniforms, opacity = 1): MeshLambertMaterial {
  const material = new MeshLambertMaterial(
    { opacity, transparent: opacity < 1, side: FrontSide, shadowSide: DoubleSide },
  );
  return skinned(material, uniforms);
}

/** What bodies cast shadows with. */
export function depthMaterial(uniforms: SkinningUniforms): MeshDepthMaterial {
  return skinned(new MeshDepthMaterial(), uniforms);
}
