// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Enumerable} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Enumerable.sol";

/// A collection numbered from 1 in the order of minting.
contract Collectible is ERC721Enumerable, Ownable {
    string private _uri;

    constructor(
        string memory name_,
        string memory symbol_,
        address owner_,
        string memory baseURI
    ) ERC721(name_, symbol_) Ownable(owner_) {
        _uri = baseURI;
    }

    function mint(address to) external onlyOwner returns (uint256 id) {
        id = totalSupply() + 1;
        _mint(to, id);
    }

    function _baseURI() internal view override returns (string memory) {
        return _uri;
    }
}
