"""Plain materials: UsdPreviewSurface of one colour, which every program knows; display colours some do not show."""

from typing import Any

from pxr import Gf, Sdf

from walkon.export.body_mesh import linear
from walkon.export.usd_layer import TYPES, Colour, add_attribute, add_colour, add_prim, add_target

__all__ = ["Paints", "add_material"]

ROUGHNESS = 0.8


def add_material(layer: Any, path: str, colour: Colour) -> Any:
    """Define a plain material of this colour."""
    material = add_prim(layer, path, "Material")
    shader = add_prim(layer, f"{path}/Surface", "Shader")
    add_attribute(shader, "info:id", TYPES.Token, "UsdPreviewSurface", uniform=True)
    add_attribute(shader, "inputs:diffuseColor", TYPES.Color3f, Gf.Vec3f(*linear(colour)))
    add_attribute(shader, "inputs:roughness", TYPES.Float, ROUGHNESS)
    surface = add_attribute(shader, "outputs:surface", TYPES.Token)
    output = add_attribute(material, "outputs:surface", TYPES.Token)
    output.connectionPathList.explicitItems = [Sdf.Path(str(surface.path))]
    return material.path


class Paints:
    """The materials of one scope, defined as they are needed: one for each colour."""

    def __init__(self, layer: Any, scope: str) -> None:
        self.layer, self.scope = layer, scope
        self.made: dict[tuple[str, Colour], Any] = {}

    def material(self, name: str, colour: Colour) -> Any:
        """Return the path of the material of this colour for things of this name."""
        if (name, colour) not in self.made:
            if not self.made:
                add_prim(self.layer, self.scope, "Scope")
            self.made[name, colour] = add_material(self.layer, f"{self.scope}/{name}_{len(self.made)}", colour)
        return self.made[name, colour]

    def paint(self, prim: Any, name: str, colour: Colour) -> None:
        """Colour a prim by material and by display colour."""
        add_colour(prim, colour)
        prim.SetInfo("apiSchemas", Sdf.TokenListOp.Create(prependedItems=["MaterialBindingAPI"]))
        add_target(prim, "material:binding", self.material(name, colour))
