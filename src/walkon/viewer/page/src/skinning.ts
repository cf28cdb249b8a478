/** Posing vertices on the graphics card: joints come as two float textures, and each instance is a character's row.

    world = p(joint) + R(slerp(joint, other, share)) local × scale

Row r, joint j is texel r J + j. A texel per character has the phase and the length of its stride, and the codes of its
hands; from these fingers are posed below the wrist (hand_table.ts), and walkers, of whom only the root is uploaded, below
the root (track_shape.ts). Used by the material that is seen and by the one that casts shadows alike. */

import {
  DoubleSide,
  FrontSide,
  MeshDepthMaterial,
  MeshLambertMaterial,
  type DataTexture,
  type IUniform,
  type Material,
} from "three";
import { HAND_SHAPES, SEGMENTS } from "./hands";
import { HAND_LEVELS } from "./hand_table";
import { MAX_STRIDE, WALK_LEVELS, WALK_PHASES } from "./track_shape";
import { PARTS } from "./walk_cycle";

/** Textures are this wide; what is longer goes on in the next row. */
export const TEXTURE_WIDTH = 2048;
/** Colours per character. */
export const PALETTE_SIZE = 5;
/** How much of what white is mixed into the colours of walkers, whose steps are made up; linear, as in pictures. */
const WALKER_PALE = 0.42;
const PAPER = 0.85;

/** What poses a surface: joints alone, with fingers below the wrists, or a walk cycle. */
export type Posing = "joints" | "fingers" | "walk";

export interface SkinningUniforms extends Record<string, IUniform> {
  jointPlaces: IUniform<DataTexture>;
  jointTurns: IUniform<DataTexture>;
  palettes: IUniform<DataTexture>;
  jointCount: IUniform<number>;
  /** Phase and length of the stride, codes of the left and the right hand. */
  states: IUniform<DataTexture>;
  /** Of the body: finger poses, or the walk cycle; whichever its surface needs. */
  poses: IUniform<DataTexture | null>;
}

const COMMON = /* glsl */ `
uniform highp sampler2D jointPlaces;
uniform highp sampler2D jointTurns;
uniform highp sampler2D palettes;
uniform highp sampler2D states;
uniform highp sampler2D poses;
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
vec4 mixed(vec4 a, vec4 b, float share) {
  return normalize(mix(a, dot(a, b) < 0.0 ? -b : b, share));
}
`;

/** `held` leaves where a vertex's frame is, over the joint's place and before scaling, and how it is turned. */
const JOINTS = /* glsl */ `
void held(out vec3 origin, out vec3 shift, out vec4 turn) {
  int first = int(row + 0.5) * jointCount;
  int joint = first + int(holds.x + 0.5);
  origin = texelOf(jointPlaces, joint).xyz;
  turn = texelOf(jointTurns, joint);
  shift = vec3(0.0);
#ifdef FINGERS
  if (holds.z < 0.0) {
    int segment = int(-holds.z - 0.5);
    vec4 state = texelOf(states, int(row + 0.5));
    float code = segment < ${SEGMENTS} ? state.z : state.w;
    float shape = floor(0.5 * code);
    float level = clamp(code - 2.0 * shape, 0.0, 1.0) * ${HAND_LEVELS - 1}.0;
    float low = min(floor(level), ${HAND_LEVELS - 2}.0);
    int hand = segment / ${SEGMENTS};
    int at = ((hand * ${HAND_SHAPES.length} + int(shape)) * ${HAND_LEVELS} + int(low)) * ${SEGMENTS};
    at = 2 * (at + segment - hand * ${SEGMENTS});
    const int next = ${2 * SEGMENTS};
    shift = turned(turn, mix(texelOf(poses, at).xyz, texelOf(poses, at + next).xyz, level - low));
    vec4 bent = mixed(texelOf(poses, at + 1), texelOf(poses, at + next + 1), level - low);
    if (holds.y > 0.0) {
      bent = mixed(bent, mixed(texelOf(poses, at - 1), texelOf(poses, at + next - 1), level - low), holds.y);
    }
    turn = vec4(turn.x * bent.x - dot(turn.yzw, bent.yzw), turn.x * bent.yzw + bent.x * turn.yzw + cross(turn.yzw, bent.yzw));
  }
#endif
  if (holds.z > 0.0) turn = mixed(turn, texelOf(jointTurns, first + int(holds.y + 0.5)), holds.z);
}
`;

const WALK = /* glsl */ `
vec3 partAt(float part, vec2 state) {
  float step = fract(state.x) * ${WALK_PHASES}.0;
  float level = clamp(state.y / ${MAX_STRIDE}, 0.0, 1.0) * ${WALK_LEVELS - 1}.0;
  float low = min(floor(level), ${WALK_LEVELS - 2}.0);
  ivec2 steps = ivec2(int(step), int(step) + 1) & ${WALK_PHASES - 1};
  ivec2 rows = (ivec2(int(low), int(low) + 1) * ${PARTS.length} + int(part + 0.5)) * ${WALK_PHASES};
  vec3 near = mix(texelOf(poses, rows.x + steps.x).xyz, texelOf(poses, rows.x + steps.y).xyz, fract(step));
  vec3 far = mix(texelOf(poses, rows.y + steps.x).xyz, texelOf(poses, rows.y + steps.y).xyz, fract(step));
  return mix(near, far, level - low);
}
void held(out vec3 origin, out vec3 shift, out vec4 turn) {
  int person = int(row + 0.5);
  vec2 state = texelOf(states, person).xy;
  vec3 part = partAt(holds.x, state);
  float pitch = part.z;
  if (holds.z > 0.0) pitch = mix(pitch, partAt(holds.y, state).z, holds.z);
  vec4 root = texelOf(jointTurns, person * jointCount);
  vec2 half_ = vec2(cos(0.5 * pitch), sin(0.5 * pitch));
  origin = texelOf(jointPlaces, person * jointCount).xyz;
  shift = turned(root, vec3(part.x, 0.0, part.y));
  turn = half_.x * root + half_.y * vec4(-root.z, -root.w, root.x, root.y);
}
`;

const START = /* glsl */ `
vec3 heldOrigin;
vec3 heldShift;
vec4 heldTurn;
held(heldOrigin, heldShift, heldTurn);
`;

const PLACE = /* glsl */ `
int person = int(row + 0.5);
float size = texelOf(palettes, person * ${PALETTE_SIZE}).a;
vec3 transformed = heldOrigin + (heldShift + turned(heldTurn, position)) * size;
float cloth = floor(holds.w);
float shade = 2.0 * (holds.w - cloth);
vDress = texelOf(palettes, person * ${PALETTE_SIZE} + int(cloth)).rgb * shade;
`;

function skinned<M extends Material>(material: M, uniforms: SkinningUniforms, posing: Posing): M {
  if (posing === "fingers") material.defines = { ...material.defines, FINGERS: "" };
  const pale = posing === "walk" ? `diffuseColor.rgb = mix(diffuseColor.rgb, vec3(${PAPER}), ${WALKER_PALE});` : "";
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("void main() {", `${COMMON}${posing === "walk" ? WALK : JOINTS}\nvoid main() {\n${START}`)
      .replace("#include <beginnormal_vertex>", "vec3 objectNormal = turned(heldTurn, normal);")
      .replace("#include <begin_vertex>", PLACE);
    shader.fragmentShader = shader.fragmentShader
      .replace("void main() {", "varying vec3 vDress;\nvoid main() {")
      .replace("#include <color_fragment>", `diffuseColor.rgb *= vDress; ${pale}`);
  };
  material.customProgramCacheKey = () => `walkon-${posing}`;
  return material;
}

/** The material of bodies. */
export function bodyMaterial(uniforms: SkinningUniforms, posing: Posing): MeshLambertMaterial {
  return skinned(new MeshLambertMaterial({ side: FrontSide, shadowSide: DoubleSide }), uniforms, posing);
}

/** What bodies cast shadows with. */
export function depthMaterial(uniforms: SkinningUniforms, posing: Posing): MeshDepthMaterial {
  return skinned(new MeshDepthMaterial(), uniforms, posing);
}
