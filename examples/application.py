"""A job application as a Pydantic model: gbnfc extract -s examples/application.py:Application"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field


class Application(BaseModel):
    name: Annotated[str, Field(max_length=60, description="Full name of the applicant")]
    age: Annotated[int, Field(ge=16, le=99)]
    city: Annotated[str, Field(max_length=40, description="Where the applicant lives")]
    skills: Annotated[
        list[Annotated[str, Field(max_length=30)]],
        Field(min_length=1, max_length=4, description="Trades the applicant knows"),
    ]
