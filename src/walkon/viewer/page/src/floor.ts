/** The floor: an endless plane with a quiet metre grid that receives shadows and fades into the distance. World, z = 0. */

import { Color, Mesh, PlaneGeometry, ShadowMaterial, Vector2, type IUniform } from "three";
import type { Theme } from "./theme";

const SIZE = 4000;

const PARS = /* glsl */ `
uniform vec3 floorColour;
uniform vec3 farColour;
uniform vec3 gridColour;
uniform vec2 gridStrength;
uniform float fadeLength;
varying vec3 vPlace;

float lines(vec2 place, float step, float width) {
  vec2 cell = place / step;
  vec2 soft = max(fwidth(cell), vec2(1e-5));
  vec2 away = abs(fract(cell - 0.5) - 0.5);
  vec2 line = 1.0 - smoothstep(vec2(0.0), soft * 1.2, max(away - width / step, 0.0));
  // Where lines are closer than a few pixels they become an even tone, and then nothing.
  line *= clamp(1.15 - 5.0 * soft, 0.0, 1.0);
  return max(line.x, line.y);
}
`;

const COLOUR = /* glsl */ `
float away = length(vPlace - cameraPosition);
float metre = lines(vPlace.xy, 1.0, 0.004) * gridStrength.x;
float five = lines(vPlace.xy, 5.0, 0.008) * gridStrength.y;
float near = exp(-pow(away / fadeLength, 2.0));
vec3 tone = mix(floorColour, gridColour, max(metre, five) * near);
float lit = 1.0 - opacity * (1.0 - getShadowMask()) * exp(-pow(away / (1.4 * fadeLength), 2.0));
gl_FragColor = vec4(mix(farColour, tone * lit, near * 0.5 + 0.5 * exp(-away / fadeLength)), 1.0);
`;

export class Floor {
  readonly mesh: Mesh<PlaneGeometry, ShadowMaterial>;
  private readonly uniforms: Record<string, IUniform> = {
    floorColour: { value: new Color() },
    farColour: { value: new Color() },
    gridColour: { value: new Color() },
    gridStrength: { value: new Vector2() },
    fadeLength: { value: 40 },
  };

  constructor() {
    const material = new ShadowMaterial({ transparent: false });
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("void main() {", "varying vec3 vPlace;\nvoid main() {")
        .replace(
          "#include <worldpos_vertex>",
          "#include <worldpos_vertex>\nvPlace = (modelMatrix * vec4(transformed, 1.0)).xyz;",
        );
      shader.fragmentShader = shader.fragmentShader
        .replace("void main() {", `${PARS}\nvoid main() {`)
        .replace(/gl_FragColor = vec4\( color.*;/, COLOUR);
    };
    this.mesh = new Mesh(new PlaneGeometry(SIZE, SIZE, 40, 40), material);
    this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -10;
  }

  paint(theme: Theme): void {
    this.uniforms.floorColour.value.setHex(theme.floor);
    this.uniforms.farColour.value.setHex(theme.background);
    this.uniforms.gridColour.value.setHex(theme.grid);
    this.uniforms.gridStrength.value.set(...theme.gridStrength);
    this.mesh.material.opacity = theme.shadow;
  }

  /** Keep the plane under the camera, and fade it beyond what is looked at. */
  follow(x: number, y: number, distance: number): void {
    this.mesh.position.set(Math.round(x / 5) * 5, Math.round(y / 5) * 5, 0);
    this.uniforms.fadeLength.value = Math.min(Math.max(3.2 * distance, 26), 600);
  }
}
